import type { Failure, Result } from '@amodal/sdk'
import type { RunUsage, StoredRun, Tokens } from './run-usage.ts'

export const GROUPS = ['model', 'agent', 'tool', 'principal', 'automation', 'profile'] as const
/** What sums are grouped by; `tenant` on the command line alone. */
export type Group = (typeof GROUPS)[number] | 'tenant'

export const BUCKETS = { hour: 3_600_000, day: 86_400_000 } as const
export type By = keyof typeof BUCKETS

/** Groups of a report; those that cost less are in its total alone. */
export const MOST_GROUPS = 50

export interface UsageFilter {
  /** ms since the epoch; runs that ended at `from` are in, those that ended at `to` are not. */
  readonly from: number
  readonly to: number
  readonly model?: string
  readonly agent?: string
  readonly tool?: string
  readonly principal?: string
  readonly automation?: string
  readonly profile?: string
}

export interface UsageQuery extends UsageFilter {
  readonly by: By
  readonly group: Group
}

/** ms; null where nothing was measured. */
export interface Latency {
  readonly p50: number | null
  readonly p95: number | null
}

export interface UsageSums extends Tokens {
  readonly runs: number
  /** Runs that ended with an error. */
  readonly errors: number
  /** Calls of models; grouped by tool, those of the tool. */
  readonly calls: number
  readonly callErrors: number
  readonly cost: number | null
  readonly unpriced: number
  readonly runMs: Latency
  readonly callMs: Latency
}

/** Sums of a group, of a bucket, or of both. */
export interface SumsAt extends UsageSums {
  /** Empty where runs have none, such as an automation. */
  readonly key: string
  /** Start of the bucket, ms since the epoch; null for the time of the report. */
  readonly at: number | null
}

export interface UsageReport {
  readonly total: UsageSums
  /** By time, buckets without a run left out. */
  readonly buckets: readonly SumsAt[]
  /** The most expensive first. */
  readonly groups: readonly SumsAt[]
  /** Of each group in each bucket. */
  readonly series: readonly SumsAt[]
}

/** The place of a run in an export, the oldest first. */
export interface RunPosition {
  readonly endedAt: number
  readonly run: string
}

type Outcome<T> = Promise<Result<T, Failure>>

/** Whose runs are forgotten. */
export interface Forgotten {
  readonly principal: string
  /** `null`: of every tenant. */
  readonly tenant: string | null
  readonly sessions: readonly { readonly tenant: string; readonly session: string }[]
}

/** Rows of all tenants. */
export interface UsageStore {
  /** A run that is in already stays as it is. */
  add(runs: readonly StoredRun[], signal: AbortSignal): Outcome<void>
  /** The number of the last entry of the newest run, by session. */
  latest(
    tenant: string,
    sessions: readonly string[],
    signal: AbortSignal,
  ): Outcome<ReadonlyMap<string, number>>
  /** @param tenant left out: of all */
  report(tenant: string | undefined, query: UsageQuery, signal: AbortSignal): Outcome<UsageReport>
  page(
    tenant: string,
    filter: UsageFilter,
    page: { readonly limit: number; readonly after?: RunPosition },
    signal: AbortSignal,
  ): Outcome<readonly RunUsage[]>
  /** Removes the runs of a person, and of sessions. */
  erase(erased: Forgotten, signal: AbortSignal): Outcome<void>
  /** Removes runs that ended earlier. @returns how many */
  prune(before: number, signal: AbortSignal): Outcome<number>
}

/** The groups of a report from its rows. */
export function reportOf(totals: readonly SumsAt[], groups: readonly SumsAt[]): UsageReport {
  const byTime = (a: SumsAt, b: SumsAt): number => (a.at ?? 0) - (b.at ?? 0)
  return {
    total: totals.find(({ at }) => at === null) ?? NO_SUMS,
    buckets: totals.filter(({ at }) => at !== null).toSorted(byTime),
    groups: groups.filter(({ at }) => at === null).toSorted(costliestFirst),
    series: groups
      .filter(({ at }) => at !== null)
      .toSorted((a, b) => byTime(a, b) || compareText(a.key, b.key)),
  }
}

export const compareText = (a: string, b: string): number => (a < b ? -1 : Number(a > b))

type Ranked = Pick<SumsAt, 'key' | 'cost' | 'input' | 'output' | 'calls' | 'runs'>

/** The order of groups: cost, tokens, calls, runs, name. */
export const costliestFirst = (a: Ranked, b: Ranked): number =>
  (b.cost ?? -1) - (a.cost ?? -1) ||
  b.input + b.output - (a.input + a.output) ||
  b.calls - a.calls ||
  b.runs - a.runs ||
  compareText(a.key, b.key)

const NO_LATENCY: Latency = { p50: null, p95: null }

export const NO_SUMS: UsageSums = {
  runs: 0,
  errors: 0,
  calls: 0,
  callErrors: 0,
  input: 0,
  output: 0,
  cacheRead: 0,
  cacheWrite: 0,
  cost: null,
  unpriced: 0,
  runMs: NO_LATENCY,
  callMs: NO_LATENCY,
}
