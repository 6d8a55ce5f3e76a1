/** ms between two checks while the server is unreachable. */
const RETRY_MS = 1_000
const LOOK_LIMIT_MS = 5_000

/** Statuses with which a proxy reports an unreachable server. */
const isAway = (status: number): boolean => status === 502 || status === 504

/**
 * Whether the server is reachable, as observed by every request of this page. While it is not, it
 * is polled.
 */
export class Reachability {
  readonly #listeners = new Set<() => void>()
  #isLost = false
  #look: ReturnType<typeof setTimeout> | undefined

  get isLost(): boolean {
    return this.#isLost
  }

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** `fetch` that observes whether the server is reachable. */
  fetch: typeof fetch = async (input, init) => {
    try {
      const response = await fetch(input, init)
      this.#found(!isAway(response.status))
      return response
    } catch (cause) {
      if (init?.signal?.aborted !== true) this.#found(false)
      throw cause
    }
  }

  /** Resolves once the server answers; at once where it does. Rejects when `signal` aborts. */
  back(signal: AbortSignal): Promise<void> {
    if (!this.#isLost) return Promise.resolve()
    return new Promise((resolve, reject) => {
      const settle = (): void => {
        if (this.#isLost && !signal.aborted) return
        leave()
        signal.removeEventListener('abort', settle)
        if (signal.aborted) reject(new DOMException('nobody waits any more', 'AbortError'))
        else resolve()
      }
      const leave = this.subscribe(settle)
      signal.addEventListener('abort', settle)
      if (signal.aborted) settle()
    })
  }

  #found(answers: boolean): void {
    if (this.#isLost === !answers) return
    this.#isLost = !answers
    clearTimeout(this.#look)
    if (this.#isLost) this.#lookLater()
    for (const listener of [...this.#listeners]) listener()
  }

  #lookLater(): void {
    this.#look = setTimeout(() => void this.#lookNow(), RETRY_MS)
  }

  /** A server that is starting says so with 503, and takes no messages yet. */
  async #lookNow(): Promise<void> {
    const status = await fetch('/health', {
      signal: AbortSignal.timeout(LOOK_LIMIT_MS),
      cache: 'no-store',
    }).then(
      (response) => response.status,
      () => 0,
    )
    if (status !== 0 && status !== 503 && !isAway(status)) this.#found(true)
    else if (this.#isLost) this.#lookLater()
  }
}
