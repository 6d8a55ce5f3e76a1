import type { Clock } from '../time.ts'

/**
 * How long this process may still act for a session. Read in the tick that sends; there is no other
 * safe moment.
 */
export interface Lease {
  /** ms until the lease ends, counted from before the request that got it; 0 once it is lost. */
  left(): number
  /** Outside calls start only with more than this left (ms). */
  readonly margin: number
  /** Aborts when the lease is lost. */
  readonly signal: AbortSignal
}

/** The margin of a lease in ms, where a tenth of it is not less. */
export const LEASE_MARGIN = 2_000

/**
 * The lease of one owned lane, on the monotonic clock: a process that was stopped finds it over
 * when it wakes.
 */
export class LaneLease implements Lease {
  readonly margin: number
  taken = false
  readonly #clock: Clock
  readonly #lost = new AbortController()
  #until: number

  constructor(clock: Clock, askedAt: number, ms: number) {
    this.#clock = clock
    this.margin = Math.min(LEASE_MARGIN, ms / 10)
    this.#until = askedAt + ms
  }

  get signal(): AbortSignal {
    return this.#lost.signal
  }

  left(): number {
    if (this.#lost.signal.aborted) return 0
    return Math.max(0, this.#until - this.#clock.monotonic())
  }

  /** `askedAt`: monotonic ms from before the request that prolonged it. */
  prolong(askedAt: number, ms: number): void {
    if (!this.#lost.signal.aborted) this.#until = Math.max(this.#until, askedAt + ms)
  }

  /** `taken`: by another owner, for sure. */
  lose(why: string, taken = true): void {
    this.taken ||= taken
    this.#lost.abort(new DOMException(why, 'AbortError'))
  }
}
