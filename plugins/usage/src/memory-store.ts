import { ok, type Failure, type Result } from '@amodal/sdk'
import {
  BUCKETS,
  compareText,
  costliestFirst,
  MOST_GROUPS,
  NO_SUMS,
  reportOf,
  type Forgotten,
  type Group,
  type Latency,
  type RunPosition,
  type SumsAt,
  type UsageFilter,
  type UsageQuery,
  type UsageReport,
  type UsageStore,
} from './report.ts'
import type { CallSums, RunUsage, StoredRun } from './run-usage.ts'

/** Runs that memory holds; the oldest make room. */
const MOST = 20_000

type Outcome<T> = Promise<Result<T, Failure>>

/** Runs in the memory of this process, where there is no database. */
export class MemoryUsage implements UsageStore {
  /** In the order in which they were added. */
  readonly #runs = new Map<string, StoredRun>()

  async add(runs: readonly StoredRun[]): Outcome<void> {
    for (const run of runs) {
      const key = JSON.stringify([run.tenant, run.run])
      if (!this.#runs.has(key)) this.#runs.set(key, run)
      const [oldest] = this.#runs.keys()
      if (this.#runs.size > MOST && oldest !== undefined) this.#runs.delete(oldest)
    }
    return ok(undefined)
  }

  async latest(tenant: string, sessions: readonly string[]): Outcome<ReadonlyMap<string, number>> {
    const latest = new Map<string, number>()
    for (const { session, seq, ...run } of this.#runs.values())
      if (run.tenant === tenant && sessions.includes(session))
        latest.set(session, Math.max(seq, latest.get(session) ?? 0))
    return ok(latest)
  }

  async report(tenant: string | undefined, query: UsageQuery): Outcome<UsageReport> {
    const runs = this.#matching(tenant, query)
    const totals = runs.map((run): Part => ({ key: '', run, sums: ownSums(run) }))
    const parts = runs.flatMap((run) => partsOf(run, query.group))
    const listed = new Set(
      aggregated(parts)
        .toSorted(costliestFirst)
        .slice(0, MOST_GROUPS)
        .map(({ key }) => key),
    )
    return ok(
      reportOf(
        [...aggregated(totals), ...bucketed(totals, query)],
        [aggregated(parts), bucketed(parts, query)].flat().filter(({ key }) => listed.has(key)),
      ),
    )
  }

  async page(
    tenant: string,
    filter: UsageFilter,
    { limit, after }: { readonly limit: number; readonly after?: RunPosition },
  ): Outcome<readonly RunUsage[]> {
    const sorted = this.#matching(tenant, filter).toSorted(oldestFirst)
    const rest = after ? sorted.filter((run) => oldestFirst(after, run) < 0) : sorted
    return ok(rest.slice(0, limit))
  }

  async erase({ principal, tenant, sessions }: Forgotten): Outcome<void> {
    const named = new Set(sessions.map((one) => JSON.stringify([one.tenant, one.session])))
    for (const [key, run] of this.#runs) {
      const isOwn = run.principal === principal && (tenant === null || run.tenant === tenant)
      if (isOwn || named.has(JSON.stringify([run.tenant, run.session]))) this.#runs.delete(key)
    }
    return ok(undefined)
  }

  async prune(before: number): Outcome<number> {
    const { size } = this.#runs
    for (const [key, { endedAt }] of this.#runs) if (endedAt < before) this.#runs.delete(key)
    return ok(size - this.#runs.size)
  }

  clear(): void {
    this.#runs.clear()
  }

  #matching(tenant: string | undefined, filter: UsageFilter): readonly StoredRun[] {
    return [...this.#runs.values()].filter(
      (run) => (tenant === undefined || run.tenant === tenant) && matches(run, filter),
    )
  }
}

const oldestFirst = (a: RunPosition, b: RunPosition): number =>
  a.endedAt - b.endedAt || compareText(a.run, b.run)

const isIn = (wanted: string | undefined, sums: readonly CallSums[]): boolean =>
  wanted === undefined || sums.some(({ name }) => name === wanted)
const is = (wanted: string | undefined, value: string | null): boolean =>
  wanted === undefined || wanted === value

const matches = (run: StoredRun, filter: UsageFilter): boolean =>
  run.endedAt >= filter.from &&
  run.endedAt < filter.to &&
  is(filter.agent, run.agent) &&
  is(filter.principal, run.principal) &&
  is(filter.automation, run.automation) &&
  is(filter.profile, run.profile) &&
  isIn(filter.model, run.models) &&
  isIn(filter.tool, run.tools)

/** What a run adds to a group. */
interface Part {
  readonly key: string
  readonly run: StoredRun
  readonly sums: Omit<CallSums, 'name'>
}

const ownSums = (run: StoredRun): Part['sums'] => ({
  ...run,
  errors: run.callErrors,
  times: run.models.flatMap(({ times }) => times),
})

function partsOf(run: StoredRun, group: Group): readonly Part[] {
  switch (group) {
    case 'model':
      return run.models.map((sums) => ({ key: sums.name, run, sums }))
    case 'tool':
      return run.tools.map((sums) => ({ key: sums.name, run, sums }))
    case 'agent':
    case 'principal':
    case 'automation':
    case 'profile':
    case 'tenant':
      return [{ key: run[group] ?? '', run, sums: ownSums(run) }]
  }
}

const aggregated = (parts: readonly Part[], at: number | null = null): readonly SumsAt[] =>
  [...Map.groupBy(parts, ({ key }) => key)].map(([key, own]) => summed(key, at, own))

function bucketed(parts: readonly Part[], { by }: UsageQuery): readonly SumsAt[] {
  const width = BUCKETS[by]
  const buckets = Map.groupBy(parts, ({ run }) => Math.floor(run.endedAt / width) * width)
  return [...buckets].flatMap(([at, own]) => aggregated(own, at))
}

function summed(key: string, at: number | null, parts: readonly Part[]): SumsAt {
  const sum = (of: (part: Part) => number): number =>
    parts.reduce((total, part) => total + of(part), 0)
  const costs = parts.flatMap(({ sums }) => sums.cost ?? [])
  return {
    ...NO_SUMS,
    key,
    at,
    runs: parts.length,
    errors: sum(({ run }) => Number(run.error !== null)),
    calls: sum(({ sums }) => sums.calls),
    callErrors: sum(({ sums }) => sums.errors),
    input: sum(({ sums }) => sums.input),
    output: sum(({ sums }) => sums.output),
    cacheRead: sum(({ sums }) => sums.cacheRead),
    cacheWrite: sum(({ sums }) => sums.cacheWrite),
    cost: costs.length === 0 ? null : costs.reduce((total, cost) => total + cost, 0),
    unpriced: sum(({ sums }) => sums.unpriced),
    runMs: latencyOf(parts.map(({ run }) => run.ms)),
    callMs: latencyOf(parts.flatMap(({ sums }) => sums.times)),
  }
}

/** The nearest rank, as `percentile_disc` of a database. */
function latencyOf(times: readonly number[]): Latency {
  const sorted = times.toSorted((a, b) => a - b)
  const at = (share: number): number | null =>
    sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? null
  return { p50: at(0.5), p95: at(0.95) }
}
