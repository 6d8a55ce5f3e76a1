import type { Clock } from '@amodal/sdk'

/**
 * The delay in ms from which a heartbeat means that the process was suspended, such as on a laptop
 * that slept.
 */
const LATE_MS = 1_000

/** Measures for how long this process was able to work, from the delays of its heartbeat. */
export class Pulse {
  readonly everyMs: number
  readonly #clock: Clock
  #last = 0
  #suspendedMs = 0

  constructor(clock: Clock, everyMs: number) {
    this.#clock = clock
    this.everyMs = everyMs
  }

  start(): void {
    this.#last = this.#clock.monotonic()
  }

  /** Monotonic ms without the time that the process was suspended. */
  working(): number {
    const now = this.#clock.monotonic()
    return now - this.#suspendedMs - this.#late(now)
  }

  /**
   * Records a heartbeat. Returns the ms that the process was suspended since the previous one; 0 if
   * it was on time.
   */
  recordBeat(): number {
    const now = this.#clock.monotonic()
    const late = this.#late(now)
    this.#last = now
    this.#suspendedMs += late
    return late
  }

  #late(now: number): number {
    const late = now - this.#last - this.everyMs
    return late > LATE_MS ? late : 0
  }
}
