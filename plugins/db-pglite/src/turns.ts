import { notStarted } from '@amodal/sdk/database'
import { err, ok, type Failure, type Result, onAbort } from '@amodal/sdk'

interface Waiting {
  readonly resolve: (turn: Result<Turn, Failure>) => void
  readonly leave: () => void
}

/** The right to use the one connection there is. */
export interface Turn {
  readonly end: () => void
}

/** ms of statements in a row before the process may do something else. */
const SLICE_MS = 10

/**
 * Gives one caller at a time access to PGlite, in order of arrival. PGlite computes on the thread
 * that serves everything else, so after a slice of statements in a row the event loop gets its turn
 * too.
 */
export class Turns {
  #taken = false
  #breathed = 0
  readonly #waiting = new Set<Waiting>()

  get idle(): boolean {
    return !this.#taken
  }

  /** Waits for a turn. An `Err` means that the signal was first, and that nothing was done. */
  async take(signal: AbortSignal): Promise<Result<Turn, Failure>> {
    if (signal.aborted) return err(notStarted(signal))
    if (this.#taken) return this.#wait(signal)
    this.#taken = true
    await this.breathe()
    return ok(this.#turn())
  }

  /** Called between statements: gives way to the event loop when the slice is used up. */
  async breathe(): Promise<void> {
    if (performance.now() - this.#breathed < SLICE_MS) return
    await new Promise((resolve) => setImmediate(resolve))
    this.#breathed = performance.now()
  }

  #wait(signal: AbortSignal): Promise<Result<Turn, Failure>> {
    return new Promise((resolve) => {
      const leave = onAbort(signal, () => {
        this.#waiting.delete(waiting)
        resolve(err(notStarted(signal)))
      })
      const waiting: Waiting = { resolve, leave }
      this.#waiting.add(waiting)
    })
  }

  #turn(): Turn {
    let ended = false
    return {
      end: () => {
        if (ended) return
        ended = true
        void this.#next()
      },
    }
  }

  async #next(): Promise<void> {
    await this.breathe()
    for (const waiting of this.#waiting) {
      this.#waiting.delete(waiting)
      waiting.leave()
      waiting.resolve(ok(this.#turn()))
      return
    }
    this.#taken = false
  }
}
