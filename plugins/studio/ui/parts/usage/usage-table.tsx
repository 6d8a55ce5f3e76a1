import type { ReactNode } from 'react'
import { addressOf } from '../../model/route.ts'
import { USAGE_STRINGS } from '../../strings-usage.ts'
import { amountsOf, labelOf, toneAt } from './chart-data.ts'
import { compactText } from '../../model/format.ts'
import { costText, countText, timeText } from './format.ts'
import { metricOf, type Sums, type SumsOf, type UsageReport } from './usage-report.ts'
import { groupTitle, queryOf, type Group, type UsageSettings } from './usage-settings.ts'

/** The sums of each group, as a table; on a phone as a list. */
export function UsageTable({
  report,
  settings,
}: {
  readonly report: UsageReport
  readonly settings: UsageSettings
}): ReactNode {
  const text = USAGE_STRINGS.columns
  const { groups, total } = report
  const isOfCalls = isByCall(settings.group)
  return (
    <table className="list usage-table">
      <thead>
        <tr>
          <th>{groupTitle(settings.group)}</th>
          <th>{text.trend}</th>
          <th className="align-right">{text.runs}</th>
          <th className="align-right">{text.calls}</th>
          <th className="align-right">{text.tokens}</th>
          <th className="align-right">{isOfCalls ? text.callP50 : text.p50}</th>
          <th className="align-right">{isOfCalls ? text.callP95 : text.p95}</th>
          <th className="align-right">{text.errors}</th>
          <th className="align-right">{text.cost}</th>
        </tr>
      </thead>
      <tbody>
        {groups.map((group, place) => (
          <Row key={labelOf(group.key)} {...{ report, settings, group, place }} />
        ))}
      </tbody>
      {settings.group !== 'tool' && (
        <tfoot>
          <tr>
            <th scope="row">{text.all}</th>
            <td className="trend" />
            <Numbers sums={total} group={settings.group} />
          </tr>
        </tfoot>
      )}
    </table>
  )
}

function Row({
  report,
  settings,
  group,
  place,
}: {
  readonly report: UsageReport
  readonly settings: UsageSettings
  readonly group: SumsOf
  readonly place: number
}): ReactNode {
  const { key } = group
  const label = labelOf(key)
  return (
    <tr>
      <td className="main" title={label}>
        <i className={`swatch tone-${toneAt(place)}`} />
        {key === null ? (
          <span className="muted">{label}</span>
        ) : (
          <a href={addressOf({ view: 'usage', query: queryOf(filtered(settings, key)) })}>{key}</a>
        )}
      </td>
      <td className="trend">
        <Sparkline values={amountsOf(report, key, metricOf(report))} />
      </td>
      <Numbers sums={group} group={settings.group} />
    </tr>
  )
}

/** The same time, only with runs of one group. */
const filtered = (settings: UsageSettings, key: string): UsageSettings => ({
  ...settings,
  filters: [...settings.filters.filter(([name]) => name !== settings.group), [settings.group, key]],
})

/** Whether the times are those of calls, as of models and tools, or of runs. */
const isByCall = (group: Group): boolean => group === 'model' || group === 'tool'

function Numbers({ sums, group }: { readonly sums: Sums; readonly group: Group }): ReactNode {
  const text = USAGE_STRINGS.columns
  const { runs, calls, tokens, errors, call_errors: failed, cost } = sums
  const ms = isByCall(group) ? sums.call_ms : sums.run_ms
  const failures = group === 'tool' ? failed : errors + failed
  return (
    <>
      <td className="align-right" data-label={text.runs}>
        {countText(runs)}
      </td>
      <td className="align-right" data-label={text.calls}>
        {countText(calls)}
      </td>
      <td className="align-right" data-label={text.tokens}>
        {compactText(tokens.input + tokens.output)}
      </td>
      <td className="align-right" data-label={text.p50}>
        {timeText(ms.p50)}
      </td>
      <td className="align-right" data-label={text.p95}>
        {timeText(ms.p95)}
      </td>
      <td className="align-right" data-label={text.errors} data-bad={failures > 0}>
        {countText(failures)}
      </td>
      <td className="align-right cost" data-label={text.cost}>
        {costText(cost)}
      </td>
    </>
  )
}

const WIDTH = 88
const HEIGHT = 20

/** How something went over time, without numbers. */
export function Sparkline({ values }: { readonly values: readonly number[] }): ReactNode {
  const most = Math.max(...values, 0)
  if (values.length < 2 || most === 0) return null
  const points = values.map((value, at) => {
    const x = (at / (values.length - 1)) * WIDTH
    const y = HEIGHT - 1 - (value / most) * (HEIGHT - 2)
    return `${x.toFixed(1)},${y.toFixed(1)}`
  })
  return (
    <svg className="sparkline" width={WIDTH} height={HEIGHT} aria-hidden="true">
      <polyline points={points.join(' ')} />
    </svg>
  )
}
