/**
 * Periodic work: the next round starts `everyMs` after the previous one ended, or at once if that
 * left work. Its timer does not keep the process alive.
 *
 * @example
 * const cleaning = new PeriodicTask(600_000, async () => false)
 * cleaning.start()
 * await cleaning.stop()
 */
export class PeriodicTask {
  readonly #everyMs: number
  readonly #work: (signal: AbortSignal) => Promise<boolean>
  readonly #over = new AbortController()
  #timer: NodeJS.Timeout | undefined
  #running: Promise<void> = Promise.resolve()

  /**
   * @param everyMs milliseconds between two rounds
   * @param work one round, `true` where there may be more to do. Never rejects; aborted when the
   *   task is stopped.
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
