import type { Clock } from '@amodal/sdk'

/**
 * The store's clock, estimated since a session was claimed and never ahead of the store. Deadlines
 * that several instances share use it, since their own clocks differ.
 */
export class StoreTime {
  /**
   * ms since the epoch when the session was claimed. Items that were accepted earlier are readable.
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
