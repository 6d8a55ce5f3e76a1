import type { Clock } from '../time.ts'

/**
 * How long this process may still act for a session. It is read in the tick that sends: any earlier
 * check may be outdated by then.
 */
export interface Lease {
  /** ms until the lease ends, counted from before the request that got it; 0 once it is lost. */
  remainingMs(): number
  /** Outside calls start only with more than this remaining (ms). */
  readonly margin: number
  /** Aborts when the lease is lost. */
  readonly signal: AbortSignal
}

/** The longest margin in ms; a lease shorter than ten times this has a tenth of its duration. */
export const LEASE_MARGIN = 2_000

/**
 * The lease of one owned session, on the monotonic clock: it expires also while the process is
 * suspended.
 */
export class SessionLease implements Lease {
  readonly margin: number
  takenOver = false
  readonly #clock: Clock
  readonly #lost = new AbortController()
  #until: number

  constructor(clock: Clock, requestedAt: number, ms: number) {
    this.#clock = clock
    this.margin = Math.min(LEASE_MARGIN, ms / 10)
    this.#until = requestedAt + ms
  }

  get signal(): AbortSignal {
    return this.#lost.signal
  }

  remainingMs(): number {
    if (this.#lost.signal.aborted) return 0
    return Math.max(0, this.#until - this.#clock.monotonic())
  }

  /** `requestedAt`: monotonic ms from before the request that prolonged it. */
  prolong(requestedAt: number, ms: number): void {
    if (!this.#lost.signal.aborted) this.#until = Math.max(this.#until, requestedAt + ms)
  }

  /** `takenOver`: another owner is known to have the session. */
  lose(why: string, takenOver = true): void {
    this.takenOver ||= takenOver
    this.#lost.abort(new DOMException(why, 'AbortError'))
  }
}
