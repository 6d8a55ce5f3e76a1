/** The deadline passed before the work was done. */
export class TimedOut extends Error {
  constructor(ms: number) {
    super(`timed out after ${ms} ms`)
  }
}

/**
 * A time limit for everything that is awaited `within` it. Its timer starts with the first wait and
 * keeps the process alive until `end`, so that a hang ends in an error and not in a silent exit.
 */
export class Limit {
  /** `true` past the deadline. */
  over = false
  readonly #ms: number
  readonly #parent: AbortSignal | undefined
  readonly #start = performance.now()
  readonly #controller = new AbortController()
  #signal: AbortSignal | undefined
  #timer: ReturnType<typeof setTimeout> | undefined
  #expired: Promise<never> | undefined

  constructor(ms: number, parent?: AbortSignal) {
    this.#ms = ms
    this.#parent = parent
  }

  /** Aborts at the deadline, and with the parent. */
  get signal(): AbortSignal {
    const own = this.#controller.signal
    this.#signal ??= this.#parent ? AbortSignal.any([this.#parent, own]) : own
    return this.#signal
  }

  /** Waits for `work`, at most until the deadline; then it rejects with {@link TimedOut}. */
  within<T>(work: T | PromiseLike<T>): Promise<T> {
    this.#expired ??= this.#expiry()
    return Promise.race([work, this.#expired])
  }

  end(): void {
    clearTimeout(this.#timer)
  }

  #expiry(): Promise<never> {
    const expired = Promise.withResolvers<never>()
    expired.promise.catch(() => undefined)
    this.#timer = setTimeout(
      () => {
        const timeout = new TimedOut(this.#ms)
        this.over = true
        expired.reject(timeout)
        this.#controller.abort(timeout)
      },
      this.#ms - (performance.now() - this.#start),
    )
    return expired.promise
  }
}

/** Runs work with a deadline of `ms`. */
export async function withDeadline<T>(
  work: (signal: AbortSignal) => T | PromiseLike<T>,
  ms: number,
): Promise<T> {
  const limit = new Limit(ms)
  try {
    return await limit.within(work(limit.signal))
  } finally {
    limit.end()
  }
}
