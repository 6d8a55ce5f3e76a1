import {
  ok,
  type Database,
  type Failure,
  type Result,
  type TenantDatabase,
  type TenantId,
} from '@amodal/sdk'
import { runQuery, tenantDatabase } from '@amodal/sdk/database'
import {
  NO_SAMPLE,
  type Decision,
  type ExperimentBook,
  type Observation,
  type Sample,
  type VariantFigures,
} from './observation.ts'
import { ADD, DECIDE, DECISIONS, FIGURES, RATE, type FiguresRow } from './statements.ts'
import type { DecisionRow } from '../tables.ts'

export const databaseBooks =
  (database: Database) =>
  (tenant: TenantId): ExperimentBook =>
    new DatabaseBook(tenantDatabase(database, tenant))

/** The observations and decisions of one tenant in the database. */
class DatabaseBook implements ExperimentBook {
  readonly #database: TenantDatabase

  constructor(database: TenantDatabase) {
    this.#database = database
  }

  async add(observation: Observation, signal: AbortSignal): Promise<Result<void, Failure>> {
    const added = await runQuery(this.#database, ADD(observation), signal)
    return added.ok ? ok(undefined) : added
  }

  async rate(
    answer: Parameters<ExperimentBook['rate']>[0],
    signal: AbortSignal,
  ): Promise<Result<void, Failure>> {
    const rated = await runQuery(this.#database, RATE(answer), signal)
    return rated.ok ? ok(undefined) : rated
  }

  async figures(
    experiment: { readonly name: string; readonly version: string },
    signal: AbortSignal,
  ): Promise<Result<readonly VariantFigures[], Failure>> {
    const rows = await runQuery(this.#database, FIGURES(experiment), signal)
    return rows.ok ? ok(rows.value.map(figuresOf)) : rows
  }

  async decisions(signal: AbortSignal): Promise<Result<readonly Decision[], Failure>> {
    const rows = await runQuery(this.#database, DECISIONS(), signal)
    return rows.ok ? ok(rows.value.map(decisionOf)) : rows
  }

  async decide(decision: Decision, signal: AbortSignal): Promise<Result<boolean, Failure>> {
    const rows = await runQuery(this.#database, DECIDE(decision), signal)
    return rows.ok ? ok(rows.value.length > 0) : rows
  }
}

const decisionOf = ({ at, experiment, principal, promoted }: DecisionRow): Decision => ({
  at,
  experiment,
  principal,
  ...(promoted !== null && { promoted }),
})

const figuresOf = (row: FiguresRow): VariantFigures => ({
  variant: row.variant,
  principals: row.principals,
  runs: row.runs,
  metrics: {
    feedback: sample(row.feedback_n, row.feedback_mean, row.feedback_var),
    errors: sample(row.errors_n, row.errors_mean, row.errors_var),
    cost: sample(row.cost_n, row.cost_mean, row.cost_var),
    latency: sample(row.latency_n, row.latency_mean, row.latency_var),
  },
})

const sample = (count: number, mean: number | null, variance: number | null): Sample =>
  mean === null ? NO_SAMPLE : { count, mean, variance: variance ?? 0 }
