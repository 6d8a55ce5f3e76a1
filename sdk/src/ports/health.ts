import { registry, type Json } from '@amodal/kernel'

/**
 * What a plugin says of itself in `GET /health`: merged into the answer; `problem` makes the status
 * of an agent that is ready `degraded`.
 */
export interface HealthFact {
  readonly facts: Readonly<Record<string, Json>>
  readonly problem?: string
  /** What to do about the problem, where its text does not say so. */
  readonly fix?: string
}
export const Health = registry<() => HealthFact>('health')

/** A check of a part of the agent for `amodal doctor`; it may start something to find out. */
export interface Checkup {
  readonly title: string
  readonly ok: boolean
  readonly lines: readonly string[]
}
export const Checkups = registry<(signal: AbortSignal) => Promise<Checkup | undefined>>('checkups')
