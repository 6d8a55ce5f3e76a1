import { atMost } from '../time.ts'

/**
 * What an endpoint may take, once the reply has finished, for what it sends behind it: usage, an
 * end mark.
 */
const LAST_WORDS_MS = 2_000
/** ms that the endpoint has to end the response, so that the connection can be reused. */
const CLOSING_MS = 1_000

/** Reads the body of a reply that may be over before its connection is. */
export class BodyReader {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array> | undefined
  /** Of the clock of `performance`, ms: nothing is waited for any longer. */
  #until: number | undefined

  constructor(body: ReadableStream<Uint8Array> | null) {
    this.#reader = body?.getReader()
  }

  /** @returns `undefined` at the end of the body, or where what was still expected did not come */
  async read(): Promise<Uint8Array | undefined> {
    if (!this.#reader) return undefined
    const reading = this.#reader.read()
    const read =
      this.#until === undefined
        ? await reading
        : await atMost(this.#until - performance.now(), reading)
    return read === undefined || read.done ? undefined : read.value
  }

  /** The reply has finished: what may follow is waited for a short time only. */
  finishing(): void {
    this.#until ??= performance.now() + LAST_WORDS_MS
  }

  /**
   * Nothing more is needed. Reads the rest, which is usually empty: an aborted connection cannot be
   * reused.
   */
  leave(): void {
    void this.#drain().catch(() => undefined)
  }

  async cancel(reason?: unknown): Promise<void> {
    await this.#reader?.cancel(reason)
  }

  async #drain(): Promise<void> {
    const until = performance.now() + CLOSING_MS
    while (this.#reader) {
      const read = await atMost(until - performance.now(), this.#reader.read())
      if (read?.done === true) return
      if (read === undefined) return this.cancel()
    }
  }
}
