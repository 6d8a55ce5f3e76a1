import type { Clock } from '@amodal/sdk'

/**
 * A heartbeat that is so many ms late stands for a process that stood still, such as on a laptop
 * that slept.
 */
const LATE_MS = 1_000

/** When the heart of this process beat last, and for how long it could work. */
export class Pulse {
  readonly everyMs: number
  readonly #clock: Clock
  #last = 0
  #stood = 0

  constructor(clock: Clock, everyMs: number) {
    this.#clock = clock
    this.everyMs = everyMs
  }

  start(): void {
    this.#last = this.#clock.monotonic()
  }

  /** Monotonic ms without those for which this process stood still. */
  working(): number {
    const now = this.#clock.monotonic()
    return now - this.#stood - this.#late(now)
  }

  /** ms for which nothing here could make progress since the last beat; 0 where it came in time. */
  stoodStill(): number {
    const now = this.#clock.monotonic()
    const late = this.#late(now)
    this.#last = now
    this.#stood += late
    return late
  }

  #late(now: number): number {
    const late = now - this.#last - this.everyMs
    return late > LATE_MS ? late : 0
  }
}
