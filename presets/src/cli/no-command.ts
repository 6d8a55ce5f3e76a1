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
  if (SPECIFIED.some((name) => name === first || name === `${first} ${second ?? ''}`))
    return `there is no command "${words.slice(0, 2).join(' ')}"; \`amodal docs cli\` has what stands for it here`
  const meant = nearest(words, known)
  return `there is no command "${typed}"${meant === undefined ? '' : `; did you mean \`${meant}\`?`} (there are: ${[...known].sort().join(', ')})`
}

/** Commands of the specification that go by another name here, or are not there. */
const SPECIFIED: readonly string[] = ['pkg']

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
