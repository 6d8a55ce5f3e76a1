import type { Json } from '@amodal/sdk'
import { z } from 'zod'

const Latency = z.object({ p50: z.number().nullable(), p95: z.number().nullable() })
const Sums = z.object({
  runs: z.number(),
  errors: z.number(),
  calls: z.number(),
  call_errors: z.number(),
  tokens: z.object({ input: z.number(), output: z.number(), cache_read: z.number() }),
  cost: z.number().nullable(),
  unpriced_calls: z.number(),
  run_ms: Latency,
  call_ms: Latency,
})
type Sums = z.output<typeof Sums>

const Report = z.object({
  from: z.string(),
  to: z.string(),
  group: z.string(),
  total: Sums,
  groups: z.array(Sums.extend({ key: z.string().nullable() })),
})

const HEADS = [
  'Runs',
  'Errors',
  'Calls',
  'Failed',
  'Input',
  'Cached',
  'Output',
  'Cost',
  'p50',
  'p95',
]

/** A report as a table. */
export function usageLines(report: Json): readonly string[] {
  const { from, to, group, groups, total } = Report.parse(report)
  const title = `${minute(from)} to ${minute(to)} (UTC)`
  if (total.runs === 0) return [title, 'No run has ended in this time.']
  const head = group.charAt(0).toUpperCase() + group.slice(1)
  const unpriced =
    total.unpriced_calls === 0
      ? []
      : [
          `${total.unpriced_calls} model calls have no known price: name it in prices.json beside amodal.json.`,
        ]
  return [
    title,
    ...table(
      [head, ...HEADS],
      [...groups.map(({ key, ...sums }) => [key ?? '–', ...cells(sums)]), ['All', ...cells(total)]],
    ),
    ...unpriced,
  ]
}

const minute = (iso: string): string => iso.slice(0, 16).replace('T', ' ')
const count = (value: number): string => value.toLocaleString('en')
const seconds = (ms: number | null): string => (ms === null ? '–' : `${(ms / 1_000).toFixed(1)} s`)

const cells = (sums: Sums): readonly string[] => [
  count(sums.runs),
  count(sums.errors),
  count(sums.calls),
  count(sums.call_errors),
  count(sums.tokens.input),
  count(sums.tokens.cache_read),
  count(sums.tokens.output),
  sums.cost === null ? '–' : `$${sums.cost.toFixed(4)}`,
  seconds(sums.run_ms.p50),
  seconds(sums.run_ms.p95),
]

/** Rows of text in columns, under a line below their heads; numbers end at the same column. */
function table(heads: readonly string[], rows: readonly (readonly string[])[]): readonly string[] {
  const widths = heads.map((head, at) =>
    Math.max(head.length, ...rows.map((row) => row[at]?.length ?? 0)),
  )
  const line = (row: readonly string[]): string =>
    row
      .map((cell, at) => (at === 0 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0)))
      .join('  ')
      .trimEnd()
  return [line(heads), line(widths.map((width) => '─'.repeat(width))), ...rows.map(line)]
}
