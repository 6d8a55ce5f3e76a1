/**
 * Work that comes back: the next round begins some time after the one before has ended, or at once
 * where that left work behind. Its timer keeps no process alive.
 */
export class Rounds {
  readonly #everyMs: number
  readonly #work: (signal: AbortSignal) => Promise<boolean>
  readonly #over = new AbortController()
  #timer: NodeJS.Timeout | undefined
  #running: Promise<void> = Promise.resolve()

  /**
   * @param everyMs milliseconds between two rounds
   * @param work one round, `true` where there may be more to do. Never rejects; aborted when the
   *   rounds are over.
   */
  constructor(everyMs: number, work: (signal: AbortSignal) => Promise<boolean>) {
    this.#everyMs = everyMs
    this.#work = work
  }

  start(): void {
    this.#next(this.#everyMs)
  }

  /** Resolves once the round that runs has ended. */
  stop(): Promise<void> {
    clearTimeout(this.#timer)
    this.#over.abort()
    return this.#running
  }

  #next(ms: number): void {
    if (this.#over.signal.aborted) return
    this.#timer = setTimeout(() => {
      this.#running = this.#work(this.#over.signal).then((more) =>
        this.#next(more ? 0 : this.#everyMs),
      )
    }, ms)
    this.#timer.unref()
  }
}
