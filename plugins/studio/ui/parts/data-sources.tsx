import { useCallback, useEffect, useState, type ReactNode } from 'react'
import type { PageInfo } from '@amodal/plugin-pages/tokens'
import type { LiveEvent } from '../model/server.ts'
import { problemOf, type AutomationState, type Server } from '../model/server.ts'
import { addressOf } from '../model/route.ts'
import { useReport } from '../views/use-report.ts'
import { ago } from './ago.ts'
import { PageIcon } from './page-icon.tsx'

export interface DataSourcesProps {
  readonly server: Server
  readonly page: PageInfo
  readonly events: readonly LiveEvent[]
}

/** Where the data of a page comes from: its stores, and the automations that fill them. */
export function DataSources({ server, page, events }: DataSourcesProps): ReactNode {
  const { stores, automations } = page
  if (stores.length + automations.length === 0) return null
  return (
    <div className="sources" role="group" aria-label="Data sources">
      {stores.map((store) => (
        <a key={store} className="source" href={addressOf({ view: 'store', store, query: '' })}>
          <PageIcon name="database" />
          {store}
        </a>
      ))}
      {automations.length > 0 && <Automations {...{ server, events }} names={automations} />}
    </div>
  )
}

function Automations({
  server,
  names,
  events,
}: {
  readonly server: Server
  readonly names: readonly string[]
  readonly events: readonly LiveEvent[]
}): ReactNode {
  const [problem, setProblem] = useState<string>()
  const ask = useCallback(() => server.automations(), [server])
  const { value, problem: unread, refresh } = useReport(ask)
  const news = events.find(({ type }) => type.startsWith('automation_'))?.seq
  useEffect(() => {
    if (news !== undefined) refresh()
  }, [news])
  const act = async (path: string): Promise<void> => {
    setProblem(undefined)
    try {
      await server.act({ label: '', path })
    } catch (cause) {
      setProblem(problemOf(cause))
    }
    refresh()
  }
  return (
    <>
      {names.map((name) => {
        const state = value?.find((one) => one.name === name)
        return state ? (
          <Automation key={name} state={state} act={act} />
        ) : (
          <span key={name} className="source" title={unread}>
            <PageIcon name="zap" />
            {name}
            {(value ?? unread) !== undefined && <small>not available</small>}
          </span>
        )
      })}
      {problem !== undefined && (
        <span className="note error" role="alert">
          {problem}
        </span>
      )}
    </>
  )
}

const TONES: Readonly<Record<string, string>> = {
  completed: 'good',
  failed: 'bad',
  running: 'run',
  queued: 'run',
  waiting: 'warn',
  held: 'warn',
}

function Automation({
  state,
  act,
}: {
  readonly state: AutomationState
  readonly act: (path: string) => Promise<void>
}): ReactNode {
  const [busy, setBusy] = useState(false)
  const { name, title, running, schedule, trigger, lastRun, lastRunStatus, lastRunSessionId } =
    state
  const path = `/automations/${encodeURIComponent(name)}`
  const press = async (what: string): Promise<void> => {
    setBusy(true)
    await act(`${path}/${what}`)
    setBusy(false)
  }
  const last = lastRunStatus === undefined ? 'never ran' : lastRunStatus
  const when = lastRun === undefined ? '' : ` ${ago(lastRun)}`
  return (
    <span className="source automation" data-automation={name}>
      <PageIcon name="zap" />
      <b>{title}</b>
      {lastRunSessionId === undefined ? (
        <small className={TONES[lastRunStatus ?? '']}>
          {last}
          {when}
        </small>
      ) : (
        <a
          className={`state ${TONES[lastRunStatus ?? ''] ?? ''}`}
          href={addressOf({ view: 'chat', session: lastRunSessionId })}
        >
          {last}
          {when}
        </a>
      )}
      <code title={scheduleNote(state)}>{schedule ?? trigger}</code>
      <button
        type="button"
        role="switch"
        className="switch"
        aria-checked={running}
        aria-label={`${title}: ${running ? 'live' : 'paused'}`}
        disabled={busy}
        onClick={() => void press(running ? 'stop' : 'start')}
      >
        <i aria-hidden="true" />
        {running ? 'Live' : 'Paused'}
      </button>
      <button
        type="button"
        className="run"
        aria-label={`Run ${title} now`}
        disabled={busy}
        onClick={() => void press('run?wait=0')}
      >
        Run
      </button>
    </span>
  )
}

const scheduleNote = ({ nextRun }: AutomationState): string =>
  nextRun === undefined ? 'No next run' : `Next run: ${new Date(nextRun).toLocaleString()}`
