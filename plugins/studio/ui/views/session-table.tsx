import type { ReactNode } from 'react'
import type { SessionSummary } from '@amodal/sdk/client'
import { addressOf } from '../model/route.ts'
import type { Server } from '../model/server.ts'
import type { Sessions } from '../model/sessions.ts'
import { ago } from '../parts/ago.ts'
import { Icon } from '../parts/icons.tsx'
import { Skeleton } from '../parts/skeleton.tsx'
import { SessionStatus } from '../parts/status.tsx'
import { STRINGS } from '../strings.ts'
import '../styles/places.css'

/** Every session of the tenant, the newest first. */
export function SessionTable({
  sessions: { rows, more, problem, loaded, loadMore },
}: {
  readonly server: Server
  readonly sessions: Sessions
  readonly query: string
}): ReactNode {
  const text = STRINGS.sessions
  return (
    <section className="view wide" aria-labelledby="sessions-title">
      <header className="view-head">
        <h2 id="sessions-title">{text.title}</h2>
        <a className="button" href={addressOf({ view: 'chat', session: undefined })}>
          <Icon name="plus" />
          {text.newChat}
        </a>
      </header>
      {problem !== undefined && (
        <p className="note error" role="alert">
          {problem}
        </p>
      )}
      {!loaded && <Skeleton />}
      {loaded && rows.length === 0 && problem === undefined && (
        <div className="empty">
          <Icon name="sessions" />
          <p>{text.empty}</p>
          <p className="muted">{text.emptyHint}</p>
        </div>
      )}
      {rows.length > 0 && (
        <table className="list">
          <thead>
            <tr>
              <th>{text.columns.title}</th>
              <th>{text.columns.status}</th>
              <th className="wide-only">{text.columns.model}</th>
              <th className="align-right wide-only">{text.columns.tokens}</th>
              <th className="align-right">{text.columns.when}</th>
            </tr>
          </thead>
          <tbody>
            {rows.map((session) => (
              <Row key={session.id} session={session} />
            ))}
          </tbody>
        </table>
      )}
      {more && (
        <button type="button" onClick={loadMore}>
          {text.older}
        </button>
      )}
    </section>
  )
}

const numbers = new Intl.NumberFormat('en')

const Row = ({ session }: { readonly session: SessionSummary }): ReactNode => (
  <tr>
    <td className="main">
      <a href={addressOf({ view: 'session', id: session.id, pane: 'trace' })}>
        {session.title || STRINGS.untitled}
      </a>
    </td>
    <td>
      <SessionStatus session={session} />
    </td>
    <td className="muted wide-only">{session.model}</td>
    <td className="align-right wide-only">{numbers.format(session.token_usage.total_tokens)}</td>
    <td className="align-right muted">
      <time dateTime={session.updated_at} title={new Date(session.updated_at).toLocaleString()}>
        {ago(session.updated_at)}
      </time>
    </td>
  </tr>
)
