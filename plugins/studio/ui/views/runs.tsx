import { isRunEnded, RUN_STATUSES, type RunStatus, type RunSummary } from '@amodal/sdk/client'
import { useState, type ReactNode } from 'react'
import { durationText } from '../model/format.ts'
import type { Live } from '../model/live.ts'
import { addressOf, go } from '../model/route.ts'
import { durationOf } from '../model/run-duration.ts'
import { personName } from '../model/person-name.ts'
import type { Me, Server } from '../model/server.ts'
import { useNow } from '../model/use-run.ts'
import { useRuns } from '../model/use-runs.ts'
import { ago } from '../parts/ago.ts'
import { Icon } from '../parts/icons.tsx'
import { LoadProblem } from '../parts/load-problem.tsx'
import { RunStatusMark } from '../parts/run/run-status.tsx'
import { StartDialog } from '../parts/run/start-dialog.tsx'
import { Skeleton } from '../parts/skeleton.tsx'
import { RUN_STRINGS } from '../strings-runs.ts'
import '../styles/places.css'
import '../styles/stores.css'
import '../styles/runs.css'

export interface RunsProps {
  readonly server: Server
  readonly me: Me
  readonly live: Live
  /** Of the address: which runs are listed. */
  readonly query: string
}

/** Runs that work without a conversation, the newest first; one can be started here. */
export function Runs({ server, me, live, query }: RunsProps): ReactNode {
  const text = RUN_STRINGS
  const status = statusIn(query)
  const { rows, hasMore, problem, loadMore, refresh } = useRuns(server, status, live)
  const [isStarting, setStarting] = useState(false)
  const start = (): void => setStarting(true)
  return (
    <section className="view wide" aria-labelledby="runs-title">
      <header className="view-head">
        <h2 id="runs-title">{text.title}</h2>
        <button type="button" className="primary" onClick={start}>
          <Icon name="runs" />
          {text.start}
        </button>
      </header>
      <StatusFilter status={status} />
      <LoadProblem problem={problem} onRetry={refresh} />
      {!rows && problem === undefined && <Skeleton />}
      {rows?.length === 0 && problem === undefined && (
        <Nothing isFiltered={status !== undefined} {...{ hasMore }} onStart={start} />
      )}
      {rows && rows.length > 0 && <Rows {...{ rows, me }} />}
      {hasMore && (
        <button type="button" className="more-rows" onClick={loadMore}>
          {text.older}
        </button>
      )}
      {isStarting && (
        <StartDialog
          server={server}
          onClose={() => setStarting(false)}
          onStarted={(id) => go({ view: 'run', id, query: '' })}
        />
      )}
    </section>
  )
}

function statusIn(query: string): RunStatus | undefined {
  const given = new URLSearchParams(query).get('status')
  return RUN_STATUSES.find((status) => status === given)
}

function StatusFilter({ status }: { readonly status: RunStatus | undefined }): ReactNode {
  const text = RUN_STRINGS
  return (
    <div className="chips toggles run-filter" role="group" aria-label={text.filter}>
      {[undefined, ...RUN_STATUSES].map((one) => (
        <button
          key={one ?? 'any'}
          type="button"
          aria-pressed={one === status}
          onClick={() => go({ view: 'runs', query: one === undefined ? '' : `status=${one}` })}
        >
          {one === undefined ? text.any : text.status[one]}
        </button>
      ))}
    </div>
  )
}

function Nothing({
  isFiltered,
  hasMore,
  onStart,
}: {
  readonly isFiltered: boolean
  readonly hasMore: boolean
  readonly onStart: () => void
}): ReactNode {
  const text = RUN_STRINGS
  return (
    <div className="empty">
      <Icon name={isFiltered ? 'search' : 'runs'} />
      {isFiltered ? (
        <>
          <p>{hasMore ? text.noMatchOnPage : text.noMatch}</p>
          <a className="button" href={addressOf({ view: 'runs', query: '' })}>
            {text.clear}
          </a>
        </>
      ) : (
        <>
          <p>{text.empty}</p>
          <p className="muted">{text.emptyHint}</p>
          <button type="button" onClick={onStart}>
            {text.start}
          </button>
        </>
      )}
    </div>
  )
}

function Rows({ rows, me }: { readonly rows: readonly RunSummary[]; readonly me: Me }): ReactNode {
  const { columns } = RUN_STRINGS
  const now = useNow(rows.some(({ status }) => status === 'running'))
  return (
    <table className="list runs">
      <thead>
        <tr>
          <th>{columns.task}</th>
          <th>{columns.status}</th>
          <th className="wide-only">{columns.profile}</th>
          <th className="wide-only">{columns.who}</th>
          <th className="align-right wide-only">{columns.turns}</th>
          <th className="align-right wide-only">{columns.duration}</th>
          <th className="align-right">{columns.created}</th>
        </tr>
      </thead>
      <tbody>
        {rows.map((run) => (
          <Row key={run.session_id} {...{ run, me, now }} />
        ))}
      </tbody>
    </table>
  )
}

function Row({
  run,
  me,
  now,
}: {
  readonly run: RunSummary
  readonly me: Me
  readonly now: number
}): ReactNode {
  const ms = durationOf(run, now)
  const isTimed = isRunEnded(run.status) || run.status === 'running'
  return (
    <tr>
      <td className="main" title={run.task}>
        <a href={addressOf({ view: 'run', id: run.session_id, query: '' })}>{run.task}</a>
      </td>
      <td>
        <RunStatusMark status={run.status} />
      </td>
      <td className="muted wide-only">{run.profile_id}</td>
      <td className="muted wide-only">{personName(me, run.started_by)}</td>
      <td className="align-right wide-only">{run.turns_used}</td>
      <td className="align-right muted wide-only">
        {ms === undefined || !isTimed ? '–' : durationText(ms)}
      </td>
      <td className="align-right muted">
        <time dateTime={run.created_at} title={new Date(run.created_at).toLocaleString()}>
          {ago(run.created_at)}
        </time>
      </td>
    </tr>
  )
}
