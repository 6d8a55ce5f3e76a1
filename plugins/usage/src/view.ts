import { NANO, type JsonObject } from '@amodal/sdk'
import type { SumsAt, UsageQuery, UsageReport, UsageSums } from './report.ts'
import type { CallSums, RunUsage } from './run-usage.ts'

const isoOf = (at: number): string => new Date(at).toISOString()

/** Dollars. */
const dollars = (cost: number | null): number | null => (cost === null ? null : cost / NANO)

const sumsView = (sums: UsageSums): JsonObject => ({
  runs: sums.runs,
  errors: sums.errors,
  calls: sums.calls,
  call_errors: sums.callErrors,
  tokens: {
    input: sums.input,
    output: sums.output,
    cache_read: sums.cacheRead,
    cache_write: sums.cacheWrite,
  },
  cost: dollars(sums.cost),
  unpriced_calls: sums.unpriced,
  run_ms: { ...sums.runMs },
  call_ms: { ...sums.callMs },
})

const keyView = ({ key }: SumsAt): string | null => (key === '' ? null : key)
const atView = ({ at }: SumsAt): string | null => (at === null ? null : isoOf(at))

/** A report as clients get it: costs in dollars. */
export const reportView = (
  { from, to, by, group }: UsageQuery,
  { total, buckets, groups, series }: UsageReport,
): JsonObject => ({
  from: isoOf(from),
  to: isoOf(to),
  by,
  group,
  total: sumsView(total),
  buckets: buckets.map((one) => ({ at: atView(one), ...sumsView(one) })),
  groups: groups.map((one) => ({ key: keyView(one), ...sumsView(one) })),
  series: series.map((one) => ({ at: atView(one), key: keyView(one), ...sumsView(one) })),
})

const callsView = (sums: CallSums): JsonObject => ({
  name: sums.name,
  calls: sums.calls,
  errors: sums.errors,
  ms: sums.times.reduce((total, ms) => total + ms, 0),
  input_tokens: sums.input,
  output_tokens: sums.output,
  cache_read_tokens: sums.cacheRead,
  cache_write_tokens: sums.cacheWrite,
  cost: dollars(sums.cost),
})

/** A run as a line of an export. */
export const runView = (run: RunUsage) => ({
  run_id: run.run,
  session_id: run.session,
  principal: run.principal,
  agent: run.agent,
  automation: run.automation,
  profile: run.profile,
  started_at: isoOf(run.startedAt),
  ended_at: isoOf(run.endedAt),
  ms: run.ms,
  waited_ms: run.waitedMs,
  model_ms: run.modelMs,
  reason: run.reason,
  error: run.error,
  calls: run.calls,
  call_errors: run.callErrors,
  input_tokens: run.input,
  output_tokens: run.output,
  cache_read_tokens: run.cacheRead,
  cache_write_tokens: run.cacheWrite,
  cost: dollars(run.cost),
  unpriced_calls: run.unpriced,
  models: run.models.map(callsView),
  tools: run.tools.map(callsView),
})
export type RunView = ReturnType<typeof runView>
