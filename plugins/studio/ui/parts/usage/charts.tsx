import { useMemo, type ReactNode } from 'react'
import { USAGE_STRINGS } from '../../strings-usage.ts'
import { Chart } from './chart.tsx'
import { errorData, groupData, latencyData, tokenData } from './chart-data.ts'
import { compactText } from '../../model/format.ts'
import { costText, countText, timeText } from './format.ts'
import { metricOf, type Metric, type UsageReport } from './usage-report.ts'
import { groupTitle, type Group } from './usage-settings.ts'

const METRIC_TEXT: Readonly<Record<Metric, (value: number) => string>> = {
  cost: costText,
  tokens: compactText,
  calls: compactText,
}

/** What a report says, as pictures. */
export default function Charts({
  report,
  group,
}: {
  readonly report: UsageReport
  readonly group: Group
}): ReactNode {
  const text = USAGE_STRINGS
  const { by, total } = report
  const metric = metricOf(report)
  const groups = useMemo(() => groupData(report), [report])
  const tokens = useMemo(() => tokenData(report), [report])
  const latency = useMemo(() => latencyData(report), [report])
  const errors = useMemo(() => errorData(report), [report])
  const per = text.per[by]
  return (
    <div className="charts">
      <Chart
        title={`${text.metrics[metric]} ${per}, ${text.by} ${groupTitle(group).toLowerCase()}`}
        description={`${text.total}: ${costText(total.cost)}`}
        data={groups}
        kind="bars"
        height={220}
        isCount={metric !== 'cost'}
        textOf={METRIC_TEXT[metric]}
        by={by}
      />
      <Chart
        title={`${text.tokens.title} ${per}`}
        description={`${text.total}: ${countText(total.tokens.input + total.tokens.output)}`}
        data={tokens}
        isCount
        kind="bars"
        height={170}
        textOf={compactText}
        by={by}
      />
      <Chart
        title={text.latency.title}
        description={`${text.latency.run95}: ${timeText(total.run_ms.p95)}`}
        data={latency}
        kind="lines"
        height={170}
        textOf={timeText}
        by={by}
      />
      <Chart
        title={`${text.errors.title} ${per}`}
        description={`${text.total}: ${countText(total.errors)}`}
        data={errors}
        isCount
        kind="bars"
        height={170}
        textOf={compactText}
        by={by}
      />
    </div>
  )
}
