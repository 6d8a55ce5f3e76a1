import type { Clock } from '@amodal/sdk'

const MINUTE_MS = 60_000

/** How many lines a minute may be logged. */
export class LogAllowance {
  readonly #clock: Clock
  readonly #perMinute: number
  #since = 0
  #count = 0

  constructor(clock: Clock, perMinute: number) {
    this.#clock = clock
    this.#perMinute = perMinute
  }

  /** Whether one more line may be logged; it counts. */
  take(): boolean {
    const now = this.#clock.now()
    if (now - this.#since >= MINUTE_MS) {
      this.#since = now
      this.#count = 0
    }
    this.#count++
    return this.#count <= this.#perMinute
  }
}
