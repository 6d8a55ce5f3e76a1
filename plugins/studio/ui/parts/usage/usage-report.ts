/** ms. */
export interface Latency {
  readonly p50: number | null
  readonly p95: number | null
}

export interface Sums {
  readonly runs: number
  readonly errors: number
  readonly calls: number
  readonly call_errors: number
  readonly tokens: {
    readonly input: number
    readonly output: number
    readonly cache_read: number
    readonly cache_write: number
  }
  /** Dollars; null where no price was known. */
  readonly cost: number | null
  readonly unpriced_calls: number
  readonly run_ms: Latency
  readonly call_ms: Latency
}

export interface SumsAt extends Sums {
  readonly at: string
}
export interface SumsOf extends Sums {
  /** null where runs have none, such as an automation. */
  readonly key: string | null
}

/** What `GET /api/usage` answers. */
export interface UsageReport {
  readonly from: string
  readonly to: string
  readonly by: 'day' | 'hour'
  readonly group: string
  readonly total: Sums
  readonly buckets: readonly SumsAt[]
  readonly groups: readonly SumsOf[]
  readonly series: readonly (SumsAt & SumsOf)[]
}

/** What the groups of a report are compared by. */
export type Metric = 'cost' | 'tokens' | 'calls'

/** Calls of tools; cost, or tokens where no price is known. */
export function metricOf({ group, total }: UsageReport): Metric {
  if (group === 'tool') return 'calls'
  return total.cost === null || total.cost === 0 ? 'tokens' : 'cost'
}

export function amountOf(sums: Sums, metric: Metric): number {
  switch (metric) {
    case 'cost':
      return sums.cost ?? 0
    case 'tokens':
      return sums.tokens.input + sums.tokens.output
    case 'calls':
      return sums.calls
  }
}

const WIDTHS = { hour: 3_600_000, day: 86_400_000 } as const

/** Start of every bucket of a report, ms since the epoch: also of those without a run. */
export function bucketsOf({ from, to, by }: UsageReport): readonly number[] {
  const width = WIDTHS[by]
  const first = Math.floor(Date.parse(from) / width) * width
  const count = Math.max(1, Math.ceil((Date.parse(to) - first) / width))
  return Array.from({ length: count }, (_, at) => first + at * width)
}
