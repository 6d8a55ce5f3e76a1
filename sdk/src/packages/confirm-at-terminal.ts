import type { CommandContext } from '../ports/command.ts'

/**
 * Asks the person at the terminal until the answer is yes or no.
 *
 * @returns `undefined` if there is no terminal
 */
export async function confirmAtTerminal(
  question: string,
  { interactive, input, write }: CommandContext,
): Promise<boolean | undefined> {
  if (interactive !== true) return undefined
  write(`${question} [y/n] `)
  for await (const line of input) {
    const typed = line.trim()
    if (/^(?:y|yes|n|no)$/i.test(typed)) return /^y/i.test(typed)
    write(`Please type y or n. ${question} [y/n] `)
  }
  return false
}
