import type { CommandContext } from '@amodal/sdk'

/** Asks the person at the terminal. An answer is `undefined` once they have left. */
export class Answers {
  readonly #write: (text: string) => void
  readonly #lines: AsyncIterator<string>

  constructor({ input, write }: Pick<CommandContext, 'input' | 'write'>) {
    this.#write = write
    this.#lines = input[Symbol.asyncIterator]()
  }

  /** A line; `usual` where it is empty. */
  async text(question: string, usual: string): Promise<string | undefined> {
    this.#write(`${question} [${usual}]: `)
    const line = await this.#lines.next().catch(() => ({ done: true as const }))
    if (line.done === true) {
      this.#write('\n')
      return undefined
    }
    return line.value.trim() || usual
  }

  /**
   * `false` where the person has left.
   *
   * @param usual where the line is empty
   */
  async yes(question: string, usual: boolean): Promise<boolean> {
    const line = await this.text(`${question} (y/n)`, usual ? 'y' : 'n')
    return line !== undefined && /^(y|yes)$/i.test(line)
  }

  /**
   * One of several, by its number or its name; the first where the line is empty. Asks again until
   * it is one of them.
   */
  async choice(
    question: string,
    choices: readonly (readonly [name: string, about: string])[],
  ): Promise<string | undefined> {
    this.#write(`${question}\n`)
    choices.forEach(([name, about], index) =>
      this.#write(`  ${String(index + 1).padStart(2)}. ${name.padEnd(12)} ${about}\n`),
    )
    for (;;) {
      const line = await this.text('Number or name', '1')
      if (line === undefined) return undefined
      const chosen =
        choices[Number(line) - 1]?.[0] ?? choices.find(([name]) => name === line.toLowerCase())?.[0]
      if (chosen !== undefined) return chosen
      this.#write(`Please type a number from 1 to ${choices.length}, or a name.\n`)
    }
  }
}
