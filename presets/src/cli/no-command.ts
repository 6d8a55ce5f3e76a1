import { didYouMean } from '@amodal/sdk/files'

/**
 * Explains that a command does not exist, and which one was probably meant.
 *
 * @param words of the command line that are no options
 * @param known names of commands; a name may have two words, such as `ops audit`
 */
export function noCommand(words: readonly string[], known: readonly string[]): string {
  const [first = '', second] = words
  const group = known.filter((name) => name.startsWith(`${first} `))
  const typed = group.length > 0 && second !== undefined ? `${first} ${second}` : first
  const meant = nearest(words, known)
  return `there is no command "${typed}"${meant === undefined ? '' : `; did you mean \`${meant}\`?`} (there are: ${[...known].sort().join(', ')})`
}

/** The second word of a command is often typed alone, or with a typing error in either word. */
function nearest(
  [first = '', second = '']: readonly string[],
  known: readonly string[],
): string | undefined {
  const ofGroup = known.find((name) => name.endsWith(` ${first}`))
  return (
    ofGroup ??
    didYouMean(
      `${first} ${second}`,
      known.filter((name) => name.includes(' ')),
    ) ??
    didYouMean(first, known)
  )
}
