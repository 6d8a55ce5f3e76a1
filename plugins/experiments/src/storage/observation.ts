import type { Failure, Result } from '@amodal/sdk'
import type { Metric } from '../definition.ts'

/** A run of a session that takes part in an experiment. */
export interface Observation {
  readonly experiment: string
  readonly version: string
  readonly variant: string
  readonly principal: string
  readonly session: string
  readonly run: string
  /** ms since the epoch. */
  readonly at: number
  /** It ended otherwise than with an answer, or by a person. */
  readonly failed: boolean
  /** Dollars; `null` where no price is known. */
  readonly cost: number | null
  /** `null` for a run that waited for a person. */
  readonly seconds: number | null
}

/** Of the means of principals. */
export interface Sample {
  /** Principals. */
  readonly count: number
  readonly mean: number
  readonly variance: number
}

/** What is known of one variant. */
export interface VariantFigures {
  readonly variant: string
  readonly principals: number
  readonly runs: number
  readonly metrics: Readonly<Record<Metric, Sample>>
}

/** A decision about an experiment: it is stopped, for one of its variants or for none. */
export interface Decision {
  readonly experiment: string
  /** The variant that all principals get from then on. */
  readonly promoted?: string
  readonly principal: string
  /** ms since the epoch. */
  readonly at: number
}

type Outcome<T> = Promise<Result<T, Failure>>

/** The observations and decisions of one tenant. */
export interface ExperimentBook {
  /** Adds an observation; the same run once more changes nothing. */
  add(observation: Observation, signal: AbortSignal): Outcome<void>
  /** @param rating 1 is good and 0 bad; `null` takes it back */
  rate(
    answer: { readonly session: string; readonly run: string; readonly rating: 0 | 1 | null },
    signal: AbortSignal,
  ): Outcome<void>
  /** Principals who had more than one variant are in none of the figures. */
  figures(
    experiment: { readonly name: string; readonly version: string },
    signal: AbortSignal,
  ): Outcome<readonly VariantFigures[]>
  decisions(signal: AbortSignal): Outcome<readonly Decision[]>
  /** @returns whether it was decided now; `false`: there was a decision before */
  decide(decision: Decision, signal: AbortSignal): Outcome<boolean>
}

export const NO_SAMPLE: Sample = { count: 0, mean: 0, variance: 0 }
