import type { Readable } from 'node:stream'

/** Longer than any header of `git cat-file --batch`. */
const MAX_HEADER = 200

/** Reads the output of `git cat-file --batch`: a header, and that many bytes. */
export class ObjectReader {
  readonly #chunks: AsyncIterator<Buffer>
  #buffer: Buffer = Buffer.alloc(0)

  constructor(output: Readable) {
    this.#chunks = output.iterator()
  }

  /** The bytes of the next object; `undefined` where it is not there, or not of this size. */
  async next(size: number): Promise<Buffer | undefined> {
    const header = await this.#header()
    if (header === undefined || !header.endsWith(` blob ${size}`)) return undefined
    const bytes = await this.#take(size + 1) // a line break follows
    return bytes?.subarray(0, size)
  }

  async #header(): Promise<string | undefined> {
    for (;;) {
      const end = this.#buffer.indexOf('\n')
      if (end >= 0) {
        const text = this.#buffer.toString('utf8', 0, end)
        this.#buffer = this.#buffer.subarray(end + 1)
        return text
      }
      if (this.#buffer.byteLength > MAX_HEADER || !(await this.#more())) return undefined
    }
  }

  async #take(size: number): Promise<Buffer | undefined> {
    const parts: Buffer[] = []
    let missing = size
    for (;;) {
      const part = this.#buffer.subarray(0, missing)
      parts.push(part)
      missing -= part.byteLength
      this.#buffer = this.#buffer.subarray(part.byteLength)
      if (missing === 0) return Buffer.concat(parts)
      if (!(await this.#more())) return undefined
    }
  }

  async #more(): Promise<boolean> {
    const next = await this.#chunks.next()
    if (next.done === true) return false
    this.#buffer =
      this.#buffer.byteLength === 0 ? next.value : Buffer.concat([this.#buffer, next.value])
    return true
  }
}
