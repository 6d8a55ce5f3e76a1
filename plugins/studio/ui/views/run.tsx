import { isRunEnded, type RunDetails } from '@amodal/sdk/client'
import { useMemo, useState, type ReactNode } from 'react'
import type { Live } from '../model/live.ts'
import { addressOf } from '../model/route.ts'
import { figuresOf, latestFigures, stepsOf } from '../model/run-events.ts'
import type { Me, Server } from '../model/server.ts'
import { useRun, type RunFollower } from '../model/use-run.ts'
import { Icon } from '../parts/icons.tsx'
import { Raw } from '../parts/json-view.tsx'
import { LoadProblem } from '../parts/load-problem.tsx'
import { Markdown } from '../parts/markdown.tsx'
import { Artifacts } from '../parts/run/artifacts.tsx'
import { CancelDialog } from '../parts/run/cancel-dialog.tsx'
import { Pauses } from '../parts/run/pauses.tsx'
import { RunFacts, RunInput } from '../parts/run/run-facts.tsx'
import { RunStatusMark } from '../parts/run/run-status.tsx'
import { RunTimeline } from '../parts/run/run-timeline.tsx'
import { Skeleton } from '../parts/skeleton.tsx'
import { RUN_STRINGS } from '../strings-runs.ts'
import '../styles/places.css'
import '../styles/stores.css'
import '../styles/runs.css'

export interface RunProps {
  readonly server: Server
  readonly me: Me
  readonly live: Live
  /** Session of the run. */
  readonly id: string
  /** Of the address: artifact, version and citation that are open. */
  readonly query: string
}

const text = RUN_STRINGS.page

/** One run: where it stands, what it asks, what came of it, and what it does. */
export function Run({ server, me, live, id, query }: RunProps): ReactNode {
  const follower = useRun(server, id, live)
  const { run, problem, refresh } = follower
  return (
    <section className="view wide run" aria-labelledby="run-title">
      <a href={addressOf({ view: 'runs', query: '' })}>{RUN_STRINGS.all}</a>
      <LoadProblem problem={problem} onRetry={refresh} />
      {!run && problem === undefined && <Skeleton />}
      {run && <Shown {...{ server, me, id, query, follower, run }} />}
    </section>
  )
}

function Shown({
  server,
  me,
  id,
  query,
  follower,
  run,
}: Omit<RunProps, 'live'> & {
  readonly follower: RunFollower
  readonly run: RunDetails
}): ReactNode {
  const { events, refresh } = follower
  const steps = useMemo(() => stepsOf(events), [events])
  const figures = useMemo(() => latestFigures(figuresOf(events), figuresIn(run)), [events, run])
  return (
    <>
      <Head {...{ server, id, run, follower }} />
      <RunFacts {...{ run, figures, me }} />
      <RunInput run={run} />
      <Pauses {...{ server, me, id }} pending={run.pending_inputs ?? []} onAnswered={refresh} />
      <Result run={run} />
      <Artifacts {...{ server, query }} run={id} news={`${run.status} ${figures.turns}`} />
      <section className="run-progress" aria-labelledby="run-progress">
        <h3 id="run-progress">{text.progress}</h3>
        {steps.length === 0 && (
          <p className="muted">{run.status === 'queued' ? text.queued : text.nothingYet}</p>
        )}
        <RunTimeline steps={steps} />
      </section>
      <p className="sr" role="status">
        {RUN_STRINGS.status[run.status]}
      </p>
    </>
  )
}

const figuresIn = ({ turns_used: turns, progress }: RunDetails) => ({
  turns,
  tools: progress.toolsUsed.map(({ toolId, count }) => [toolId, count] as const),
  tokens: progress.tokensUsed,
})

function Head({
  server,
  id,
  run,
  follower: { isLive, refresh },
}: Pick<RunProps, 'server' | 'id'> & {
  readonly run: RunDetails
  readonly follower: RunFollower
}): ReactNode {
  const [isCancelling, setCancelling] = useState(false)
  const hasEnded = isRunEnded(run.status)
  return (
    <header className="view-head run-title">
      <h2 id="run-title" title={run.task}>
        {run.task}
      </h2>
      <RunStatusMark status={run.status} />
      {isLive && !hasEnded && <span className="muted">{text.live}</span>}
      <span className="space" />
      {run.started_at !== null && (
        <>
          <a className="button" href={addressOf({ view: 'session', id, pane: 'chat' })}>
            <Icon name="chat" />
            {text.session}
          </a>
          <a className="button" href={addressOf({ view: 'session', id, pane: 'trace' })}>
            <Icon name="sessions" />
            {text.trace}
          </a>
        </>
      )}
      {!hasEnded && (
        <button type="button" className="danger" onClick={() => setCancelling(true)}>
          <Icon name="stop" />
          {RUN_STRINGS.cancel.open}
        </button>
      )}
      {isCancelling && (
        <CancelDialog
          {...{ server, id }}
          onCanceled={refresh}
          onClose={() => setCancelling(false)}
        />
      )}
    </header>
  )
}

/** What came of a run, or why nothing did. */
function Result({ run }: { readonly run: RunDetails }): ReactNode {
  const { result, result_summary: summary, session_error: error, reason } = run
  if (error !== undefined)
    return (
      <p className="note error">
        <strong>{text.error}.</strong> {error}
      </p>
    )
  if (run.status === 'canceled')
    return (
      <p className="note warning">
        <strong>{text.canceled}.</strong> {reason}
      </p>
    )
  if (result === null && summary === null) return null
  return (
    <section className="run-result" aria-labelledby="run-result">
      <h3 id="run-result">{text.result}</h3>
      {summary !== null && <Markdown text={summary} />}
      {result !== null && <Raw title={text.resultData} text={JSON.stringify(result)} />}
    </section>
  )
}
