import type { Json, JsonObject } from '@amodal/sdk'
import { useMemo, type ReactNode } from 'react'
import { auditSearch, searchText, useAudit, type AuditEntry } from '../model/audit.ts'
import { addressOf } from '../model/route.ts'
import type { Server } from '../model/server.ts'
import { AuditFilters } from '../parts/audit-filters.tsx'
import { AuditVerdict } from '../parts/audit-verdict.tsx'
import { ago } from '../parts/ago.ts'
import { Icon } from '../parts/icons.tsx'
import { LoadProblem } from '../parts/load-problem.tsx'
import { Skeleton } from '../parts/skeleton.tsx'
import { Status, type Tone } from '../parts/status.tsx'
import { SYSTEM_STRINGS } from './system-strings.ts'
import { textOf } from './text-of.ts'
import '../styles/places.css'
import '../styles/stores.css'
import '../styles/system.css'

const text = SYSTEM_STRINGS.audit

/** What was recorded of everything that happened, and whether somebody has changed it. */
export function Audit({
  server,
  query,
}: {
  readonly server: Server
  readonly query: string
}): ReactNode {
  const search = useMemo(() => auditSearch(query), [query])
  const { rows, hasMore, problem, loadMore, refresh } = useAudit(server, search)
  const isFiltered = searchText(search) !== ''
  return (
    <section className="view wide" aria-labelledby="audit-title">
      <header className="view-head">
        <h2 id="audit-title">{text.title}</h2>
      </header>
      <AuditVerdict server={server} />
      <AuditFilters search={search} />
      <LoadProblem problem={problem} onRetry={refresh} />
      {!rows && problem === undefined && <Skeleton />}
      {rows?.length === 0 && problem === undefined && (
        <Nothing isFiltered={isFiltered} hasMore={hasMore} />
      )}
      {rows && rows.length > 0 && <Rows rows={rows} />}
      {hasMore && (
        <button type="button" onClick={loadMore}>
          {text.older}
        </button>
      )}
    </section>
  )
}

function Nothing({
  isFiltered,
  hasMore,
}: {
  readonly isFiltered: boolean
  readonly hasMore: boolean
}): ReactNode {
  const noMatch = hasMore ? text.searchOlder : text.noMatch
  return (
    <div className="empty">
      <Icon name={isFiltered ? 'search' : 'system'} />
      <p>{isFiltered ? noMatch : text.empty}</p>
      {isFiltered ? (
        <a className="button" href={addressOf({ view: 'audit', query: '' })}>
          {text.filters.clear}
        </a>
      ) : (
        <p className="muted">{text.emptyHint}</p>
      )}
    </div>
  )
}

function Rows({ rows }: { readonly rows: readonly AuditEntry[] }): ReactNode {
  const { columns } = text
  return (
    <table className="list">
      <thead>
        <tr>
          <th>{columns.time}</th>
          <th>{columns.event}</th>
          <th className="wide-only">{columns.about}</th>
          <th className="wide-only">{columns.who}</th>
          <th>{columns.outcome}</th>
        </tr>
      </thead>
      <tbody>
        {rows.map((entry) => (
          <Row key={entry.n} entry={entry} />
        ))}
      </tbody>
    </table>
  )
}

function Row({ entry }: { readonly entry: AuditEntry }): ReactNode {
  const { n, at, event, principal, session_id: session, outcome, data = {} } = entry
  return (
    <tr>
      <td className="muted">
        {at === undefined ? (
          `#${n}`
        ) : (
          <time dateTime={at} title={`#${n} · ${new Date(at).toLocaleString()}`}>
            {ago(at)}
          </time>
        )}
      </td>
      <td>
        {session === undefined ? (
          nameOf(event)
        ) : (
          <a href={addressOf({ view: 'session', id: session, pane: 'trace' })} title={text.session}>
            {nameOf(event)}
          </a>
        )}
      </td>
      <td className="main wide-only muted" title={JSON.stringify(data)}>
        {aboutOf(data)}
      </td>
      <td className="muted wide-only">{principal}</td>
      <td>
        {typeof outcome === 'string' && (
          <Status tone={TONES[outcome] ?? 'none'}>{outcome.replaceAll('_', ' ')}</Status>
        )}
      </td>
    </tr>
  )
}

const nameOf = (event: string | undefined): string => event?.replaceAll('_', ' ') ?? text.erased

/** The tool that was called, or what else the line says in short. */
function aboutOf(data: JsonObject): string {
  const { tool, params, ...rest } = data
  if (typeof tool === 'string') return `${tool} ${params === undefined ? '' : textOf(params)}`
  return Object.entries(rest)
    .filter(([, value]: readonly [string, Json]) => value !== null)
    .map(([name, value]) => `${name.replaceAll('_', ' ')}: ${textOf(value)}`)
    .join(' · ')
}

const TONES: Readonly<Record<string, Tone>> = {
  ok: 'good',
  success: 'good',
  completed: 'good',
  model_stop: 'good',
  approved: 'good',
  allow: 'good',
  confirm: 'warn',
  review: 'warn',
  denied: 'bad',
  declined: 'bad',
  error: 'bad',
  failed: 'bad',
}
