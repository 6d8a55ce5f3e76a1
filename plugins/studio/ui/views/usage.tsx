import { lazy, Suspense, useCallback, useMemo, type ReactNode } from 'react'
import type { Live } from '../model/live.ts'
import { addressOf, go } from '../model/route.ts'
import type { Server } from '../model/server.ts'
import { Icon } from '../parts/icons.tsx'
import { Budgets } from '../parts/usage/budgets.tsx'
import { ChartBoundary } from '../parts/usage/chart-boundary.tsx'
import { Controls, Exports } from '../parts/usage/controls.tsx'
import { loadCharts } from '../parts/usage/load-charts.ts'
import { Summary } from '../parts/usage/summary.tsx'
import {
  queryOf,
  requestOf,
  settingsIn,
  type UsageSettings,
} from '../parts/usage/usage-settings.ts'
import { UsageTable } from '../parts/usage/usage-table.tsx'
import { useUsage, type UsageState } from '../parts/usage/use-usage.ts'
import { USAGE_STRINGS } from '../strings-usage.ts'
import '../styles/usage.css'

const Charts = lazy(loadCharts)

/** What the agent costs: charts over time, and sums by group. */
export function Usage({
  server,
  live,
  query,
}: {
  readonly server: Server
  readonly live: Live
  readonly query: string
}): ReactNode {
  const settings = useMemo(() => settingsIn(query, Date.now()), [query])
  const requestAt = useCallback((now: number) => requestOf(settings, now), [settings])
  const { state, refresh } = useUsage(server, live, requestAt)
  const change = (next: UsageSettings): void => go({ view: 'usage', query: queryOf(next) })
  return (
    <section
      className="view wide usage"
      aria-labelledby="usage-title"
      aria-busy={state.kind === 'loading' || (state.kind === 'shown' && state.isStale)}
    >
      <header className="view-head">
        <h2 id="usage-title">{USAGE_STRINGS.title}</h2>
        {state.kind === 'shown' && <Exports {...{ server, settings }} />}
      </header>
      {state.kind === 'shown' && <Budgets server={server} report={state.report} />}
      {state.kind !== 'forbidden' && <Controls settings={settings} onChange={change} />}
      <Content {...{ state, settings, refresh }} />
    </section>
  )
}

function Content({
  state,
  settings,
  refresh,
}: {
  readonly state: UsageState
  readonly settings: UsageSettings
  readonly refresh: () => void
}): ReactNode {
  const text = USAGE_STRINGS
  switch (state.kind) {
    case 'loading':
      return <ChartSkeleton />
    case 'forbidden':
      return (
        <div className="empty">
          <Icon name="usage" />
          <p>{text.forbidden}</p>
          <p className="muted">{text.forbiddenHint}</p>
        </div>
      )
    case 'failed':
      return (
        <div className="note error" role="alert">
          <p>
            <code>{state.code}</code> {state.message}
          </p>
          <button type="button" onClick={refresh}>
            {text.retry}
          </button>
        </div>
      )
    case 'shown':
      return state.report.total.runs === 0 ? (
        <Empty isFiltered={settings.filters.length > 0} />
      ) : (
        <>
          <Summary total={state.report.total} />
          {state.report.total.unpriced_calls > 0 && (
            <p className="note">
              {state.report.total.unpriced_calls} {text.unpriced} <code>prices.json</code>
            </p>
          )}
          <ChartBoundary>
            <Suspense fallback={<ChartSkeleton />}>
              <Charts report={state.report} group={settings.group} />
            </Suspense>
          </ChartBoundary>
          <UsageTable report={state.report} settings={settings} />
        </>
      )
  }
}

function Empty({ isFiltered }: { readonly isFiltered: boolean }): ReactNode {
  const text = USAGE_STRINGS
  return (
    <div className="empty">
      <Icon name="usage" />
      <p>{isFiltered ? text.emptyFiltered : text.empty}</p>
      <p className="muted">{text.emptyHint}</p>
      <a className="button" href={addressOf({ view: 'chat', session: undefined })}>
        {text.openChat}
      </a>
    </div>
  )
}

/** The shape of what comes. */
const ChartSkeleton = (): ReactNode => (
  <div className="usage-skeleton" role="status" aria-label={USAGE_STRINGS.loading}>
    <i />
    <i />
    <i />
    <i />
  </div>
)
