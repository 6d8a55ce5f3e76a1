import type { Frame, FrameCursor } from '../src/index.ts'

export interface TestFrames extends FrameCursor {
  readonly closed: boolean
  /** Frames that nobody has taken yet. */
  readonly waiting: number
  push(...frames: readonly Frame[]): void
  end(): void
}

/** Frames that a test writes by hand. */
export function frameQueue(): TestFrames {
  let frames: Frame[] = []
  let ended = false
  let closed = false
  let wake = Promise.withResolvers<void>()
  const wakeReader = (): void => {
    wake.resolve()
    wake = Promise.withResolvers()
  }
  const cursor: TestFrames = {
    get closed() {
      return closed
    },
    get waiting() {
      return frames.length
    },
    push(...more) {
      frames.push(...more)
      wakeReader()
    },
    end() {
      ended = true
      wakeReader()
    },
    close() {
      closed = true
      ended = true
      frames = []
      wakeReader()
    },
    take() {
      const taken = frames
      frames = []
      return taken
    },
    async wait() {
      while (frames.length === 0 && !ended) await wake.promise
      return frames.length > 0
    },
    async *[Symbol.asyncIterator]() {
      while (await cursor.wait()) yield* cursor.take()
    },
  }
  return cursor
}
