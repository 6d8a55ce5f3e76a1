import type { ServerResponse } from 'node:http'
import type { EventSink } from '@amodal/sdk'

/**
 * Default high-water mark in bytes. Beyond it the source is paused until the reader has caught up.
 */
const MAX_PENDING_BYTES = 1_048_576

/**
 * Writes a stream of events to a connection: everything that is pending at the end of a tick is
 * sent in one write.
 */
export class ResponseSink implements EventSink {
  readonly #outgoing: ServerResponse
  readonly #stallMs: number
  readonly #maxPendingBytes: number
  #pending = ''
  #scheduled = false
  #begun = false
  #ended = false

  /**
   * @param stallMs ms that a reader which is too far behind may take to catch up before it is cut;
   *   it can resume
   */
  constructor(outgoing: ServerResponse, stallMs: number, maxPendingBytes = MAX_PENDING_BYTES) {
    this.#outgoing = outgoing
    this.#stallMs = stallMs
    this.#maxPendingBytes = maxPendingBytes
    this.#schedule() // send the headers at once, even if the first event is late
  }

  get closed(): boolean {
    return this.#outgoing.destroyed || this.#outgoing.writableEnded
  }

  write(text: string): boolean {
    this.#pending += text
    this.#schedule()
    return this.#pending.length + this.#outgoing.writableLength <= this.#maxPendingBytes
  }

  async drained(): Promise<void> {
    this.#flush()
    if (this.closed || !this.#outgoing.writableNeedDrain) return
    await new Promise<void>((resolve) => {
      const settle = (): void => {
        clearTimeout(timer)
        this.#outgoing.off('drain', settle).off('close', settle)
        resolve()
      }
      const timer = setTimeout(() => this.#outgoing.destroy(), this.#stallMs)
      this.#outgoing.once('drain', settle).once('close', settle)
    })
  }

  onClosed(listener: () => void): void {
    this.#outgoing.once('close', listener)
  }

  end(): void {
    this.#ended = true
    this.#schedule()
  }

  #schedule(): void {
    if (this.#scheduled) return
    this.#scheduled = true
    setImmediate(() => this.#flush())
  }

  #flush(): void {
    this.#scheduled = false
    if (this.closed) return
    const text = this.#pending
    this.#pending = ''
    if (this.#ended) this.#outgoing.end(text)
    else if (text !== '') this.#outgoing.write(text)
    else if (!this.#begun) this.#outgoing.flushHeaders()
    this.#begun = true
  }
}
