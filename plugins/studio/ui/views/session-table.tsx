import type { SessionSummary } from '@amodal/sdk/client'
import { useMemo, type ReactNode } from 'react'
import type { Live } from '../model/live.ts'
import { addressOf, go, replace } from '../model/route.ts'
import type { Server } from '../model/server.ts'
import { searchText, sessionSearch, useModels, useSessionSearch } from '../model/session-search.ts'
import { ago } from '../parts/ago.ts'
import { Icon } from '../parts/icons.tsx'
import { LoadProblem } from '../parts/load-problem.tsx'
import { SessionFilters } from '../parts/session-filters.tsx'
import { Skeleton } from '../parts/skeleton.tsx'
import { SessionStatus } from '../parts/status.tsx'
import { STRINGS } from '../strings.ts'
import '../styles/places.css'
import '../styles/stores.css'

/** Sessions of the tenant that the address asks for, the newest first. */
export function SessionTable({
  server,
  live,
  query,
}: {
  readonly server: Server
  readonly live: Live
  readonly query: string
}): ReactNode {
  const text = STRINGS.sessions
  const search = useMemo(() => sessionSearch(query), [query])
  const models = useModels(server)
  const { rows, hasMore, problem, loadMore, refresh } = useSessionSearch(server, search, live)
  const isFiltered = searchText(search) !== ''
  return (
    <section className="view wide" aria-labelledby="sessions-title">
      <header className="view-head">
        <h2 id="sessions-title">{text.title}</h2>
        <a className="button" href={addressOf({ view: 'chat', session: undefined })}>
          <Icon name="plus" />
          {text.newChat}
        </a>
      </header>
      <SessionFilters
        {...{ search, models }}
        onSearch={(changed, isTyped) =>
          (isTyped ? replace : go)({ view: 'sessions', query: searchText(changed) })
        }
      />
      <LoadProblem problem={problem} onRetry={refresh} />
      {!rows && problem === undefined && <Skeleton />}
      {rows?.length === 0 && problem === undefined && <Nothing isFiltered={isFiltered} />}
      {rows && rows.length > 0 && <Rows rows={rows} />}
      {hasMore && (
        <button type="button" onClick={loadMore}>
          {text.older}
        </button>
      )}
    </section>
  )
}

function Nothing({ isFiltered }: { readonly isFiltered: boolean }): ReactNode {
  const text = STRINGS.sessions
  return (
    <div className="empty">
      <Icon name={isFiltered ? 'search' : 'sessions'} />
      <p>{isFiltered ? text.noMatch : text.empty}</p>
      {isFiltered ? (
        <a className="button" href={addressOf({ view: 'sessions', query: '' })}>
          {text.clear}
        </a>
      ) : (
        <p className="muted">{text.emptyHint}</p>
      )}
    </div>
  )
}

function Rows({ rows }: { readonly rows: readonly SessionSummary[] }): ReactNode {
  const { columns } = STRINGS.sessions
  return (
    <table className="list">
      <thead>
        <tr>
          <th>{columns.title}</th>
          <th>{columns.status}</th>
          <th className="wide-only">{columns.model}</th>
          <th className="align-right wide-only">{columns.tokens}</th>
          <th className="align-right">{columns.when}</th>
        </tr>
      </thead>
      <tbody>
        {rows.map((session) => (
          <Row key={session.id} session={session} />
        ))}
      </tbody>
    </table>
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
