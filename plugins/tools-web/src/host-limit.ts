import type { Clock } from '@amodal/sdk'

const MOST_HOSTS = 1_000

/** Limits requests to one host: `most` in `ms`, over all sessions. */
export class HostLimit {
  readonly #clock: Clock
  readonly #most: number
  readonly #ms: number
  /** Times of the requests to each host, the least recently used host first. */
  readonly #asked = new Map<string, readonly number[]>()

  constructor(clock: Clock, most: number, ms: number) {
    this.#clock = clock
    this.#most = most
    this.#ms = ms
  }

  /** Counts a request. @returns ms until it may be made; 0: now */
  reserve(host: string): number {
    const now = this.#clock.monotonic()
    const recent = (this.#asked.get(host) ?? []).filter((at) => now - at < this.#ms)
    const [oldest] = recent
    const wait = recent.length >= this.#most && oldest !== undefined ? this.#ms - (now - oldest) : 0
    this.#asked.delete(host)
    this.#asked.set(host, wait > 0 ? recent : [...recent, now])
    for (const [first] of this.#asked) {
      if (this.#asked.size <= MOST_HOSTS) break
      this.#asked.delete(first)
    }
    return wait
  }
}
