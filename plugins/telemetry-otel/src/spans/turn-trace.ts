import type { Lease, RunContext } from '@amodal/sdk'
import type { Tracing } from '../tracing.ts'
import { RunTrace } from './run-trace.ts'

/** Begins the spans of a turn when something of it is traced, and ends them with its scope. */
export class TurnTrace {
  readonly #tracing: Tracing
  #trace: RunTrace | undefined
  #lease: Lease | undefined

  constructor(tracing: Tracing) {
    this.#tracing = tracing
  }

  /**
   * @param isFresh the run begins with this turn
   * @returns `undefined` while nothing is traced
   */
  of(ctx: RunContext, isFresh = false): RunTrace | undefined {
    const { tracer, names } = this.#tracing
    if (!this.#trace && tracer) {
      this.#trace = new RunTrace(tracer, names, ctx, !isFresh)
      this.#lease = ctx.lease
      this.#tracing.byLease.set(ctx.lease, this.#trace)
      this.#tracing.bySession.set(ctx.session, this.#trace)
    }
    return this.#trace
  }

  /** Those of the turn, if they have begun. */
  get begun(): RunTrace | undefined {
    return this.#trace
  }

  close(session: RunContext['session']): void {
    this.#trace?.end()
    if (this.#lease) this.#tracing.byLease.delete(this.#lease)
    if (this.#tracing.bySession.get(session) === this.#trace)
      this.#tracing.bySession.delete(session)
  }
}
