import type { Clock } from '@amodal/sdk'

/**
 * The store's clock, as somebody knows it who has claimed a session. Times that others are held to
 * are told by it alone: clocks of instances differ. It is never ahead of the store.
 */
export class StoreTime {
  /**
   * ms since the epoch when the session was claimed: all that was written into its inbox before is
   * there to be read.
   */
  readonly claimed: number
  readonly #clock: Clock
  readonly #since: number

  constructor(claimed: number, clock: Clock) {
    this.claimed = claimed
    this.#clock = clock
    this.#since = clock.monotonic()
  }

  now(): number {
    return this.claimed + Math.floor(this.#clock.monotonic() - this.#since)
  }
}
