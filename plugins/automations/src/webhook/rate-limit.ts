const MINUTE = 60_000
/** Keys that are remembered before those of minutes gone by are forgotten. */
const MOST_KEYS = 1_000

/** Counts what came under a key within a minute, in this process. */
export class RateLimit {
  readonly #perMinute: number
  readonly #windows = new Map<string, { readonly begun: number; count: number }>()

  /** @param perMinute that are let through under one key */
  constructor(perMinute: number) {
    this.#perMinute = perMinute
  }

  /**
   * @param now ms since the epoch
   * @returns seconds to wait, where there were too many already
   */
  wait(key: string, now: number): number | undefined {
    const window = this.#current(key, now)
    return window && window.count >= this.#perMinute
      ? Math.ceil((window.begun + MINUTE - now) / 1_000)
      : undefined
  }

  count(key: string, now: number): void {
    const window = this.#current(key, now)
    if (window) {
      window.count++
      return
    }
    if (this.#windows.size >= MOST_KEYS)
      for (const known of [...this.#windows.keys()])
        if (!this.#current(known, now)) this.#windows.delete(known)
    this.#windows.set(key, { begun: now, count: 1 })
  }

  /** A minute that lies ahead was begun before the clock was turned back. */
  #current(key: string, now: number) {
    const window = this.#windows.get(key)
    return window && now - window.begun < MINUTE && now >= window.begun ? window : undefined
  }
}
