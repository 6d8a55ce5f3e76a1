import type { Clock } from '@amodal/sdk'

const MOST_HOSTS = 1_000

/** How often one host may be asked: `most` times in `ms`, whoever asks. */
export class HostLimit {
  readonly #clock: Clock
  readonly #most: number
  readonly #ms: number
  /** When each host was asked, the one that was asked longest ago first. */
  readonly #asked = new Map<string, readonly number[]>()

  constructor(clock: Clock, most: number, ms: number) {
    this.#clock = clock
    this.#most = most
    this.#ms = ms
  }

  /** Counts a request. @returns ms until it may be made; 0: now */
  take(host: string): number {
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
