import { sleep } from '@amodal/sdk'

/** The longest wait for a permit, ms. */
const MOST_WAIT_MS = 20_000

/**
 * Lets `perSecond` requests through, and `burst` at once (the generic cell rate algorithm, ITU-T
 * I.371).
 */
export class TokenBucket {
  readonly #interval: number
  readonly #burst: number
  readonly #now: () => number
  /** When the bucket would be full again. */
  #full = -Infinity

  constructor(
    { perSecond, burst }: { readonly perSecond: number; readonly burst: number },
    now: () => number,
  ) {
    this.#interval = 1_000 / perSecond
    this.#burst = burst
    this.#now = now
  }

  /** Waits for a turn; the seconds to come back after where that would take too long. */
  async take(signal: AbortSignal): Promise<number | undefined> {
    const now = this.#now()
    const full = Math.max(this.#full, now) + this.#interval
    const wait = full - this.#burst * this.#interval - now
    if (wait > MOST_WAIT_MS) return Math.ceil(wait / 1_000)
    this.#full = full
    if (wait > 0) await sleep(wait, signal)
    return undefined
  }
}
