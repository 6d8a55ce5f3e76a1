import {
  ok,
  sessionId,
  tenantId,
  type Database,
  type Failure,
  type Result,
  type SessionRef,
} from '@amodal/sdk'
import { runQuery, tenantDatabase } from '@amodal/sdk/database'
import type { SessionRelations } from '@amodal/plugin-sessions/tokens'
import {
  NO_SUMS,
  reportOf,
  type Forgotten,
  type RunPosition,
  type SumsAt,
  type UsageFilter,
  type UsageQuery,
  type UsageReport,
  type UsageStore,
} from './report.ts'
import type { RunUsage, StoredRun } from './run-usage.ts'
import {
  ADD,
  ADD_TENANT,
  COMPARED,
  ERASE,
  ERASE_TENANT,
  LATEST,
  page,
  PRUNE,
  sums,
  TENANTS,
  times,
  uncountedOf,
  type Keys,
  type SumsRow,
  type TimesRow,
} from './statements.ts'
import { storedSums, sumsOf } from './stored-sums.ts'
import type { UsageRow } from './tables.ts'

type Outcome<T> = Promise<Result<T, Failure>>

/** A tenant whose runs are counted. */
export interface CountedTenant {
  readonly tenant: string
  /** ms since the epoch from which on its runs are counted. */
  readonly since: number
  /** ms since the epoch up to which the journal was compared with the rows. */
  readonly compared: number
}

/** A session whose journal may have more runs than there are rows. */
export interface UncountedSession {
  readonly ref: SessionRef
  readonly head: number
  /** Number of the entry that ended its newest run with a row; 0 without one. */
  readonly latest: number
}

/** The rows in the database. What a tenant reads, it reads in its own role. */
export class DatabaseUsage implements UsageStore {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  async add(runs: readonly StoredRun[], signal: AbortSignal): Outcome<void> {
    const rows = JSON.stringify(runs.map(rowOf))
    const added = await runQuery(this.#database, ADD({ runs: rows }), signal)
    return added.ok ? ok(undefined) : added
  }

  async latest(
    tenant: string,
    sessions: readonly string[],
    signal: AbortSignal,
  ): Outcome<ReadonlyMap<string, number>> {
    const rows = await runQuery(this.#database, LATEST({ tenant, sessions }), signal)
    return rows.ok ? ok(new Map(rows.value.map(({ session, seq }) => [session, seq]))) : rows
  }

  async report(
    tenant: string | undefined,
    query: UsageQuery,
    signal: AbortSignal,
  ): Outcome<UsageReport> {
    const [totals, groups] = await Promise.all([
      this.#sums(tenant, query, 'total', signal),
      this.#sums(tenant, query, query.group, signal),
    ])
    if (!totals.ok) return totals
    return groups.ok ? ok(reportOf(totals.value, groups.value)) : groups
  }

  async page(
    tenant: string,
    filter: UsageFilter,
    range: { readonly limit: number; readonly after?: RunPosition },
    signal: AbortSignal,
  ): Outcome<readonly RunUsage[]> {
    const rows = await runQuery(this.#readBy(tenant), page(tenant, filter, range), signal)
    return rows.ok ? ok(rows.value.map(runOf)) : rows
  }

  async erase({ principal, tenant, sessions }: Forgotten, signal: AbortSignal): Outcome<void> {
    const named = { principal, tenant, sessions: JSON.stringify(sessions) }
    const erased = await runQuery(this.#database, ERASE(named), signal)
    if (!erased.ok || tenant === null) return erased.ok ? ok(undefined) : erased
    const emptied = await runQuery(this.#database, ERASE_TENANT({ tenant }), signal)
    return emptied.ok ? ok(undefined) : emptied
  }

  async prune(before: number, signal: AbortSignal): Outcome<number> {
    const removed = await runQuery(this.#database, PRUNE({ before }), signal)
    return removed.ok ? ok(removed.value.length) : removed
  }

  /** From now on the runs of this tenant are counted. Repeating it changes nothing. */
  async addTenant(tenant: string, now: number, signal: AbortSignal): Outcome<void> {
    const added = await runQuery(this.#database, ADD_TENANT({ tenant, now }), signal)
    return added.ok ? ok(undefined) : added
  }

  tenants(signal: AbortSignal): Outcome<readonly CountedTenant[]> {
    return runQuery(this.#database, TENANTS(), signal)
  }

  async compared(tenants: readonly string[], at: number, signal: AbortSignal): Outcome<void> {
    const written = await runQuery(this.#database, COMPARED({ tenants, at }), signal)
    return written.ok ? ok(undefined) : written
  }

  /** Sessions of counted tenants in which runs have ended that have no rows. */
  async uncounted(
    relations: SessionRelations,
    lookBack: number,
    signal: AbortSignal,
  ): Outcome<readonly UncountedSession[]> {
    const rows = await runQuery(this.#database, uncountedOf(relations)({ lookBack }), signal)
    return rows.ok
      ? ok(
          rows.value.map(({ tenant, session, head, latest }) => ({
            ref: { tenant: tenantId(tenant), session: sessionId(session) },
            head,
            latest,
          })),
        )
      : rows
  }

  async #sums(
    tenant: string | undefined,
    query: UsageQuery,
    keys: Keys,
    signal: AbortSignal,
  ): Outcome<readonly SumsAt[]> {
    const database = this.#readBy(tenant)
    const [rows, latencies] = await Promise.all([
      runQuery(database, sums(tenant, query, keys), signal),
      runQuery(database, times(tenant, query, keys), signal),
    ])
    if (!rows.ok) return rows
    if (!latencies.ok) return latencies
    const byPlace = new Map(latencies.value.map((row) => [placeOf(row), row]))
    return ok(rows.value.map((row) => sumsAt(row, byPlace.get(placeOf(row)))))
  }

  #readBy(tenant: string | undefined): Pick<Database, 'run'> {
    return tenant === undefined ? this.#database : tenantDatabase(this.#database, tenantId(tenant))
  }
}

const placeOf = ({ key, at }: TimesRow): string => JSON.stringify([key, at])

const sumsAt = (row: SumsRow, latency: TimesRow | undefined): SumsAt => ({
  key: row.key,
  at: row.at,
  runs: row.runs,
  errors: row.errors,
  calls: row.calls,
  callErrors: row.call_errors,
  input: row.input,
  output: row.output,
  cacheRead: row.cache_read,
  cacheWrite: row.cache_write,
  cost: row.cost,
  unpriced: row.unpriced,
  runMs: { p50: row.p50, p95: row.p95 },
  callMs: latency ? { p50: latency.p50, p95: latency.p95 } : NO_SUMS.callMs,
})

const rowOf = (run: StoredRun): Record<keyof UsageRow, unknown> => ({
  tenant: run.tenant,
  run: run.run,
  session: run.session,
  principal: run.principal,
  agent: run.agent,
  automation: run.automation,
  profile: run.profile,
  started_at: run.startedAt,
  ended_at: run.endedAt,
  ms: run.ms,
  waited_ms: run.waitedMs,
  model_ms: run.modelMs,
  reason: run.reason,
  error: run.error,
  calls: run.calls,
  call_errors: run.callErrors,
  input_tokens: run.input,
  output_tokens: run.output,
  cache_read: run.cacheRead,
  cache_write: run.cacheWrite,
  cost: run.cost,
  unpriced: run.unpriced,
  models: run.models.map(storedSums),
  tools: run.tools.map(storedSums),
  seq: run.seq,
})

const runOf = (row: UsageRow): RunUsage => ({
  run: row.run,
  session: row.session,
  principal: row.principal,
  agent: row.agent,
  automation: row.automation,
  profile: row.profile,
  startedAt: row.started_at,
  endedAt: row.ended_at,
  ms: row.ms,
  waitedMs: row.waited_ms,
  modelMs: row.model_ms,
  reason: row.reason,
  error: row.error,
  calls: row.calls,
  callErrors: row.call_errors,
  input: row.input_tokens,
  output: row.output_tokens,
  cacheRead: row.cache_read,
  cacheWrite: row.cache_write,
  cost: row.cost,
  unpriced: row.unpriced,
  models: row.models.map(sumsOf),
  tools: row.tools.map(sumsOf),
  seq: row.seq,
})
