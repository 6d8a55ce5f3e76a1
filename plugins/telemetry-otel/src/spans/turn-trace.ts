import type { Lease, RunContext } from '@amodal/sdk'
import type { Metering } from '../metrics/metering.ts'
import { TurnMeasures } from '../metrics/turn-measures.ts'
import type { Tracing } from '../tracing.ts'
import { RunTrace } from './run-trace.ts'

/** Spans and measures of a turn: they begin with what is reported first, and end with its scope. */
export class TurnTrace {
  readonly #tracing: Tracing
  readonly #metering: Metering
  #measures: TurnMeasures | undefined
  #trace: RunTrace | undefined
  #lease: Lease | undefined

  constructor(tracing: Tracing, metering: Metering) {
    this.#tracing = tracing
    this.#metering = metering
  }

  /**
   * @param isFresh the run begins with this turn
   * @returns `undefined` while nothing is measured
   */
  measures(ctx: RunContext, isFresh = false): TurnMeasures | undefined {
    const { instruments } = this.#metering
    if (!this.#measures && instruments) this.#measures = new TurnMeasures(instruments, ctx, isFresh)
    return this.#measures
  }

  /**
   * @param isFresh the run begins with this turn
   * @returns `undefined` while nothing is traced
   */
  of(ctx: RunContext, isFresh = false): RunTrace | undefined {
    const { tracer, names } = this.#tracing
    if (!this.#trace && tracer) {
      this.#trace = new RunTrace(tracer, names, ctx, !isFresh, this.#tracing.content(ctx))
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
    this.#measures?.end()
    this.#trace?.end()
    if (this.#lease) this.#tracing.byLease.delete(this.#lease)
    if (this.#tracing.bySession.get(session) === this.#trace)
      this.#tracing.bySession.delete(session)
  }
}
