import type { Readable } from 'node:stream'

/** The beginning and the end of an output, with a note of what is missing between them. */
export class KeptOutput {
  readonly #each: number
  #head = ''
  #tail = ''
  #total = 0

  /** @param characters at most, half of them from the end */
  constructor(characters: number) {
    this.#each = Math.ceil(characters / 2)
  }

  /** Reads a stream to its end. */
  async read(stream: Readable): Promise<this> {
    stream.setEncoding('utf8')
    try {
      for await (const text of stream) this.add(String(text))
    } catch {
      // The program was ended; what it wrote before counts.
    }
    return this
  }

  add(text: string): void {
    this.#total += text.length
    const room = this.#each - this.#head.length
    this.#head += text.slice(0, room)
    const rest = text.slice(room)
    if (rest !== '') this.#tail = (this.#tail + rest).slice(-this.#each)
  }

  toString(): string {
    const missing = this.#total - this.#head.length - this.#tail.length
    return missing === 0
      ? this.#head + this.#tail
      : `${this.#head}\n… [${missing} characters are left out]\n${this.#tail}`
  }
}
