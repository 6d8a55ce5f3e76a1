import { USAGE_STRINGS } from '../../strings-usage.ts'
import {
  amountOf,
  bucketsOf,
  metricOf,
  type Metric,
  type Sums,
  type SumsOf,
  type UsageReport,
} from './usage-report.ts'

/** Colours of a chart, of which styles/usage.css has those for both themes. */
export type Tone = 0 | 1 | 2 | 3 | 4 | 5 | 'rest' | 'bad' | 'warn'

export interface ChartSeries {
  readonly label: string
  readonly tone: Tone
  readonly values: readonly (number | null)[]
  readonly isDashed?: boolean
}

export interface ChartData {
  /** ms since the epoch. */
  readonly at: readonly number[]
  readonly series: readonly ChartSeries[]
}

const TONES = [0, 1, 2, 3, 4, 5] as const

export const labelOf = (key: string | null): string => key ?? USAGE_STRINGS.none

/** The colour of a group: those that are no part of a chart share one. */
export const toneAt = (place: number): Tone => TONES[place] ?? 'rest'

/** The sums of each bucket; zero where no run ended. */
function inBuckets(
  at: readonly number[],
  sums: readonly (Sums & { readonly at: string })[],
  valueOf: (sums: Sums) => number | null,
  missing: number | null,
): readonly (number | null)[] {
  const byTime = new Map(sums.map((one) => [Date.parse(one.at), one]))
  return at.map((time) => {
    const one = byTime.get(time)
    return one ? valueOf(one) : missing
  })
}

/** What the most expensive groups came to, and all others together. */
export function groupData(report: UsageReport): ChartData {
  const metric = metricOf(report)
  const at = bucketsOf(report)
  const listed = report.groups.slice(0, TONES.length)
  const series = listed.map(({ key }, place): ChartSeries => ({
    label: labelOf(key),
    tone: toneAt(place),
    values: amountsOf(report, key, metric),
  }))
  const rest =
    metric === 'calls' ? restOfListed(report, at, metric) : restOf(report, series, metric)
  return {
    at,
    series: rest.some((value) => value > 0)
      ? [...series, { label: USAGE_STRINGS.others, tone: 'rest', values: rest }]
      : series,
  }
}

export function amountsOf(
  report: UsageReport,
  key: SumsOf['key'],
  metric: Metric,
): readonly number[] {
  const own = report.series.filter((one) => one.key === key)
  return inBuckets(bucketsOf(report), own, (sums) => amountOf(sums, metric), 0).map(Number)
}

/** What the total of a bucket has beside the series. */
function restOf(
  report: UsageReport,
  series: readonly ChartSeries[],
  metric: Metric,
): readonly number[] {
  const total = inBuckets(bucketsOf(report), report.buckets, (sums) => amountOf(sums, metric), 0)
  return total.map((value, bucket) => {
    const shown = series.reduce((sum, { values }) => sum + (values[bucket] ?? 0), 0)
    const rest = (value ?? 0) - shown
    // below what rounding leaves
    return rest > 1e-9 ? rest : 0
  })
}

/** Calls of tools are in no total. */
function restOfListed(
  report: UsageReport,
  at: readonly number[],
  metric: Metric,
): readonly number[] {
  const others = report.groups.slice(TONES.length).map(({ key }) => amountsOf(report, key, metric))
  return at.map((_, bucket) => others.reduce((sum, values) => sum + (values[bucket] ?? 0), 0))
}

export function tokenData(report: UsageReport): ChartData {
  const at = bucketsOf(report)
  const text = USAGE_STRINGS.tokens
  const of = (label: string, tone: Tone, valueOf: (sums: Sums) => number): ChartSeries => ({
    label,
    tone,
    values: inBuckets(at, report.buckets, valueOf, 0),
  })
  return {
    at,
    series: [
      of(text.input, 0, ({ tokens }) => Math.max(0, tokens.input - tokens.cache_read)),
      of(text.cached, 1, ({ tokens }) => tokens.cache_read),
      of(text.output, 2, ({ tokens }) => tokens.output),
    ],
  }
}

/** Seconds. */
export function latencyData(report: UsageReport): ChartData {
  const at = bucketsOf(report)
  const text = USAGE_STRINGS.latency
  const of = (
    label: string,
    tone: Tone,
    isDashed: boolean,
    valueOf: (sums: Sums) => number | null,
  ): ChartSeries => ({
    label,
    tone,
    isDashed,
    values: inBuckets(at, report.buckets, valueOf, null),
  })
  return {
    at,
    series: [
      of(text.run50, 0, false, ({ run_ms: ms }) => ms.p50),
      of(text.run95, 0, true, ({ run_ms: ms }) => ms.p95),
      of(text.call50, 1, false, ({ call_ms: ms }) => ms.p50),
      of(text.call95, 1, true, ({ call_ms: ms }) => ms.p95),
    ],
  }
}

export function errorData(report: UsageReport): ChartData {
  const at = bucketsOf(report)
  const text = USAGE_STRINGS.errors
  return {
    at,
    series: [
      {
        label: text.runs,
        tone: 'bad',
        values: inBuckets(at, report.buckets, ({ errors }) => errors, 0),
      },
      {
        label: text.calls,
        tone: 'warn',
        values: inBuckets(at, report.buckets, ({ call_errors: failed }) => failed, 0),
      },
    ],
  }
}
