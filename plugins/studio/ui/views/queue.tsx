import { useCallback, useEffect, type ReactNode } from 'react'
import type { Server } from '../model/server.ts'
import { ago } from '../parts/ago.ts'
import { Icon } from '../parts/icons.tsx'
import { Skeleton } from '../parts/skeleton.tsx'
import { Status } from '../parts/status.tsx'
import { SYSTEM_STRINGS } from './system-strings.ts'
import { useReport } from './use-report.ts'
import '../styles/places.css'
import '../styles/system.css'

interface QueueRow {
  readonly queue: string
  readonly waiting: number
  readonly delayed: number
  readonly active: number
  readonly dead: number
  readonly oldest: string | null
  readonly worker: {
    readonly takes: boolean
    readonly concurrency: number
    readonly active: number
  } | null
}

interface QueueReport {
  readonly queues: readonly QueueRow[]
  readonly processes: number | null
  readonly dead: readonly {
    readonly id: string
    readonly queue: string
    readonly reason: string
    readonly attempts: number
    readonly failed_at: string
  }[]
}

const text = SYSTEM_STRINGS.queue
/** ms between two looks while the page is seen. */
const EVERY_MS = 5_000

/** What waits, runs and has failed, by queue, and who takes it. */
export function Queue({ server }: { readonly server: Server }): ReactNode {
  const ask = useCallback(() => server.read<QueueReport>('/inspect/queue'), [server])
  const { value, problem, refresh } = useReport(ask)
  useEffect(() => {
    const timer = setTimeout(() => {
      if (document.visibilityState === 'visible') refresh()
    }, EVERY_MS)
    return () => clearTimeout(timer)
  }, [value, refresh])
  return (
    <div className="view wide">
      <header className="view-head">
        <h2 id="queue-title">{text.title}</h2>
        {typeof value?.processes === 'number' && value.processes > 0 && (
          <span className="muted">{text.processes(value.processes)}</span>
        )}
        <button type="button" className="quiet" onClick={refresh}>
          {text.refresh}
        </button>
      </header>
      {problem !== undefined && (
        <p className="note error" role="alert">
          {problem}
        </p>
      )}
      {!value && problem === undefined && <Skeleton />}
      {value && isStuck(value) && <p className="note warning">{text.stuck}</p>}
      {value?.queues.length === 0 && (
        <div className="empty">
          <Icon name="system" />
          <p>{text.empty}</p>
          <p className="muted">{text.emptyHint}</p>
        </div>
      )}
      {value && value.queues.length > 0 && <Queues queues={value.queues} />}
      {value && value.dead.length > 0 && <Dead dead={value.dead} />}
    </div>
  )
}

const isStuck = ({ queues, processes }: QueueReport): boolean =>
  processes === 0 && queues.some(({ waiting }) => waiting > 0)

const numbers = new Intl.NumberFormat('en')

function Queues({ queues }: { readonly queues: readonly QueueRow[] }): ReactNode {
  const { columns } = text
  return (
    <div className="scroll" tabIndex={0} role="region" aria-labelledby="queue-title">
      <table className="list">
        <thead>
          <tr>
            <th>{columns.queue}</th>
            <th className="align-right">{columns.waiting}</th>
            <th className="align-right">{columns.delayed}</th>
            <th className="align-right">{columns.active}</th>
            <th className="align-right">{columns.dead}</th>
            <th className="align-right wide-only">{columns.oldest}</th>
            <th className="wide-only">{columns.worker}</th>
          </tr>
        </thead>
        <tbody>
          {queues.map(({ queue, waiting, delayed, active, dead, oldest, worker }) => (
            <tr key={queue}>
              <td>{queue}</td>
              <td className="align-right">{numbers.format(waiting)}</td>
              <td className="align-right">{numbers.format(delayed)}</td>
              <td className="align-right">{numbers.format(active)}</td>
              <td className="align-right">
                {dead === 0 ? '0' : <Status tone="bad">{numbers.format(dead)}</Status>}
              </td>
              <td className="align-right muted wide-only">
                {oldest === null ? (
                  '–'
                ) : (
                  <time dateTime={oldest} title={new Date(oldest).toLocaleString()}>
                    {ago(oldest)}
                  </time>
                )}
              </td>
              <td className="muted wide-only">{workerText(worker)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function workerText(worker: QueueRow['worker']): string {
  if (!worker) return text.none
  return worker.takes ? text.worker(worker.active, worker.concurrency) : text.off
}

function Dead({ dead }: { readonly dead: QueueReport['dead'] }): ReactNode {
  const { deadColumns: columns } = text
  const queues = [...new Set(dead.map(({ queue }) => queue))]
  return (
    <>
      <h3>{text.dead}</h3>
      <p className="muted">
        {text.deadHint}{' '}
        {queues.map((queue) => (
          <code key={queue}>{text.deadFix(queue)}</code>
        ))}
      </p>
      <table className="list">
        <thead>
          <tr>
            <th>{columns.failed}</th>
            <th>{columns.queue}</th>
            <th>{columns.reason}</th>
            <th className="align-right wide-only">{columns.attempts}</th>
          </tr>
        </thead>
        <tbody>
          {dead.map(({ id, queue, reason, attempts, failed_at: at }) => (
            <tr key={id}>
              <td className="muted">
                <time dateTime={at} title={new Date(at).toLocaleString()}>
                  {ago(at)}
                </time>
              </td>
              <td>{queue}</td>
              <td className="main" title={reason}>
                {reason}
              </td>
              <td className="align-right wide-only">{numbers.format(attempts)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  )
}
