import type { Frame, FrameCursor, SendRequest } from '@amodal/sdk'
import { isDetail } from '@amodal/sdk/wire'

/** The most unread frames before the reader is disconnected; it resumes where it was. */
const BOUND = 20_000

/** The frames of one reader. Writers never wait for a reader. */
export class FrameQueue implements FrameCursor {
  /** Whether the reader requested events that others are not sent. */
  readonly wantsAll: boolean
  #frames: Frame[] = []
  #ended = false
  #wake: ((more: boolean) => void) | undefined
  #closed: (() => void)[] = []

  constructor(events?: SendRequest['events']) {
    this.wantsAll = events === 'all'
  }

  get ended(): boolean {
    return this.#ended
  }

  push(frame: Frame): void {
    if (this.#ended || (!this.wantsAll && isDetail(frame.event))) return
    this.#frames.push(frame)
    if (this.#frames.length > BOUND) return this.close()
    this.#wakeUp(true)
  }

  /** Ends the stream; queued frames can still be read. */
  end(): void {
    if (this.#ended) return
    this.#ended = true
    this.#wakeUp(this.#frames.length > 0)
    for (const undo of this.#closed.splice(0)) undo()
  }

  close(): void {
    this.#frames = []
    this.end()
  }

  /** Registers a callback for the end of the stream. */
  onClose(undo: () => void): void {
    if (this.#ended) undo()
    else this.#closed.push(undo)
  }

  take(): readonly Frame[] {
    const frames = this.#frames
    this.#frames = []
    return frames
  }

  wait(): Promise<boolean> {
    if (this.#frames.length > 0) return Promise.resolve(true)
    if (this.#ended) return Promise.resolve(false)
    return new Promise((resolve) => {
      this.#wake = resolve
    })
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Frame, void, undefined> {
    try {
      while (await this.wait()) yield* this.take()
    } finally {
      this.close()
    }
  }

  #wakeUp(more: boolean): void {
    const wake = this.#wake
    this.#wake = undefined
    wake?.(more)
  }
}
