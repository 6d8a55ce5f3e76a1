import type { CommandContext } from '@amodal/sdk'

/**
 * Asks the person at the terminal until the answer is yes or no.
 *
 * @returns `undefined` where nobody can be asked
 */
export async function askAtTerminal(
  question: string,
  { interactive, input, write }: CommandContext,
): Promise<boolean | undefined> {
  if (interactive !== true) return undefined
  write(`${question} [y/n] `)
  for await (const line of input) {
    const answer = line.trim()
    if (/^(?:y|yes|n|no)$/i.test(answer)) return /^y/i.test(answer)
    write(`Please type y or n. ${question} [y/n] `)
  }
  return false
}
