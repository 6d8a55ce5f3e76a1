import type { ReactNode } from 'react'
import { USAGE_STRINGS } from '../../strings-usage.ts'
import { compactText } from '../../model/format.ts'
import { costText, countText, timeText } from './format.ts'
import type { Sums } from './usage-report.ts'

/** The sums of the whole time, as a row of figures. */
export function Summary({ total }: { readonly total: Sums }): ReactNode {
  const text = USAGE_STRINGS.summary
  const { tokens, runs, errors, run_ms: ms, cost } = total
  const cached = tokens.input === 0 ? 0 : Math.round((100 * tokens.cache_read) / tokens.input)
  const figures = [
    [text.cost, costText(cost), runs === 0 ? '' : `${costText(each(cost, runs))} ${text.perRun}`],
    [text.runs, countText(runs), `${countText(total.calls)} ${text.calls}`],
    [text.tokens, compactText(tokens.input + tokens.output), `${cached} % ${text.cached}`],
    [text.p95, timeText(ms.p95), `${text.p50} ${timeText(ms.p50)}`],
    [text.errors, countText(errors), `${percent(errors, runs)} ${text.ofRuns}`],
  ] as const
  return (
    <dl className="usage-summary">
      {figures.map(([name, value, note]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
          <dd className="muted">{note}</dd>
        </div>
      ))}
    </dl>
  )
}

const each = (cost: number | null, runs: number): number | null =>
  cost === null ? null : cost / runs

const percent = (part: number, all: number): string =>
  all === 0 ? '0 %' : `${((100 * part) / all).toFixed(part === 0 ? 0 : 1)} %`
