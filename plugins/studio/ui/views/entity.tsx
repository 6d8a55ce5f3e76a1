import type { Json, JsonObject } from '@amodal/sdk'
import type { EntityPage } from '@amodal/plugin-pages/tokens'
import { useCallback, useEffect, type ReactNode } from 'react'
import type { Live } from '../model/live.ts'
import { ago } from '../parts/ago.ts'
import { addressOf } from '../model/route.ts'
import type { Server, StoredDocument } from '../model/server.ts'
import { EntityValue } from '../parts/entity-value.tsx'
import { PageIcon } from '../parts/page-icon.tsx'
import { useReport } from './use-report.ts'

/** Documents that are on one page of a list. */
const ROWS = 50
/** Columns of a list: the others are in the view of each document. */
const COLUMNS = 8

export interface EntityProps {
  readonly server: Server
  readonly entity: EntityPage
  readonly live: Live
}

/** The generated list of a store. */
export function EntityList({
  server,
  entity: { store, title, fields },
  live,
  query,
}: EntityProps & { readonly query: string }): ReactNode {
  const given = new URLSearchParams(query)
  const sort = given.get('sort') ?? ''
  const offset = Math.max(0, Number(given.get('offset') ?? 0) || 0)
  const ask = useCallback(
    () =>
      server.documents(
        store,
        new URLSearchParams({
          limit: String(ROWS),
          offset: String(offset),
          ...(sort !== '' && { sort }),
        }).toString(),
      ),
    [server, store, sort, offset],
  )
  const { value, problem, refresh } = useStoreReport(ask, live, store)
  const columns = fields
    .filter(({ type }) => type !== 'object' && type !== 'array')
    .slice(0, COLUMNS)
  const to = (change: Readonly<Record<string, string>>): string =>
    addressOf({ view: 'store', store, query: new URLSearchParams({ sort, ...change }).toString() })
  return (
    <section className="view wide entity-view" aria-labelledby="entity-title">
      <header className="view-head">
        <h2 id="entity-title">
          <PageIcon name="table" />
          {title}
          {value && <small className="muted count">{value.total}</small>}
        </h2>
        <button type="button" className="quiet" onClick={refresh}>
          Refresh
        </button>
      </header>
      <Problem text={problem} />
      {value?.total === 0 && (
        <p className="muted hint">
          No documents yet. The agent writes them, or <code>POST /api/stores/{store}</code>.
        </p>
      )}
      {value && value.documents.length > 0 && (
        <div className="scroll" tabIndex={0} role="region" aria-label={title}>
          <table className="entity-table">
            <thead>
              <tr>
                {columns.map(({ name, type }) => (
                  <th
                    key={name}
                    scope="col"
                    className={alignOf(type)}
                    aria-sort={sortOf(sort, name)}
                  >
                    <a href={to({ sort: sort === name ? `-${name}` : name })}>
                      {labelOf(name)}
                      {sort.replace(/^-/, '') === name && <i>{sort === name ? '↑' : '↓'}</i>}
                    </a>
                  </th>
                ))}
                <th scope="col">Updated</th>
              </tr>
            </thead>
            <tbody>
              {value.documents.map(({ key, payload, meta }) => (
                <tr key={key}>
                  {columns.map((field, at) => (
                    <td key={field.name} className={alignOf(field.type)}>
                      {at === 0 ? (
                        <a href={addressOf({ view: 'store', store, key, query: '' })}>
                          <EntityValue value={payload[field.name]} type={field.type} />
                        </a>
                      ) : (
                        <EntityValue value={payload[field.name]} type={field.type} />
                      )}
                    </td>
                  ))}
                  <td className="muted" title={new Date(meta.computedAt).toLocaleString()}>
                    {ago(meta.computedAt)}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {value && value.total > ROWS && (
        <nav className="pager" aria-label="Pages of the list">
          {offset > 0 && <a href={to({ offset: String(Math.max(0, offset - ROWS)) })}>Previous</a>}
          <span className="muted">
            {offset + 1} to {Math.min(offset + ROWS, value.total)} of {value.total}
          </span>
          {offset + ROWS < value.total && <a href={to({ offset: String(offset + ROWS) })}>Next</a>}
        </nav>
      )}
    </section>
  )
}

/** The generated view of one document. */
export function EntityDetail({
  server,
  entity: { store, title, fields },
  live,
  documentKey,
}: EntityProps & { readonly documentKey: string }): ReactNode {
  const ask = useCallback(() => server.document(store, documentKey), [server, store, documentKey])
  const { value, problem } = useStoreReport(ask, live, store)
  const payload = value?.document.payload ?? {}
  const known = new Set(fields.map(({ name }) => name))
  const others = Object.keys(payload).filter((name) => !known.has(name))
  return (
    <section className="view entity-view" aria-labelledby="entity-title">
      <header className="view-head">
        <h2 id="entity-title">{documentKey}</h2>
        <a href={addressOf({ view: 'store', store, query: '' })}>{title}</a>
      </header>
      <Problem text={problem} />
      {value && (
        <>
          <dl className="entity-fields">
            {[...fields, ...others.map((name) => ({ name, type: 'string' }))].map(
              ({ name, type }) => (
                <div key={name}>
                  <dt>{labelOf(name)}</dt>
                  <dd>
                    <EntityValue value={payload[name]} type={type} isWhole />
                  </dd>
                </div>
              ),
            )}
          </dl>
          <p className="muted">
            Version {value.document.version},{' '}
            {new Date(value.document.meta.computedAt).toLocaleString()}
            {value.document.meta.stale && ', stale'}
          </p>
          <History documents={value.history} now={payload} />
        </>
      )}
    </section>
  )
}

/** Earlier versions, each with the fields that were other than they are now. */
function History({
  documents,
  now,
}: {
  readonly documents: readonly StoredDocument[]
  readonly now: JsonObject
}): ReactNode {
  if (documents.length === 0) return null
  return (
    <>
      <h3>Earlier versions</h3>
      <ul className="entity-history">
        {documents.map(({ version, payload, meta }) => (
          <li key={version}>
            <b>{version}</b>
            <time dateTime={meta.computedAt}>{new Date(meta.computedAt).toLocaleString()}</time>
            <span>{differences(payload, now)}</span>
          </li>
        ))}
      </ul>
    </>
  )
}

const differences = (before: JsonObject, now: JsonObject): string =>
  Object.keys(before)
    .filter((name) => JSON.stringify(before[name]) !== JSON.stringify(now[name]))
    .map((name) => `${labelOf(name)}: ${textOf(before[name])}`)
    .join(', ') || 'The same as now'

const textOf = (value: Json | undefined): string =>
  typeof value === 'string' ? value : JSON.stringify(value ?? null)

function useStoreReport<T>(ask: () => Promise<T>, { events }: Live, store: string) {
  const report = useReport(ask)
  const news = events.find(
    ({ type, storeName }) => type === 'store_updated' && storeName === store,
  )?.seq
  useEffect(() => {
    if (news !== undefined) report.refresh()
  }, [news])
  return report
}

const Problem = ({ text }: { readonly text: string | undefined }): ReactNode =>
  text === undefined ? null : (
    <p className="note error" role="alert">
      {text}
    </p>
  )

/** `raised_at` is "Raised at". */
function labelOf(name: string): string {
  const words = name.replace(/([a-z])([A-Z])/g, '$1 $2').replaceAll(/[_-]+/g, ' ')
  return words.slice(0, 1).toUpperCase() + words.slice(1)
}

const alignOf = (type: string): string | undefined =>
  type === 'number' ? 'align-right' : undefined

function sortOf(sort: string, name: string): 'ascending' | 'descending' | 'none' {
  if (sort === name) return 'ascending'
  return sort === `-${name}` ? 'descending' : 'none'
}
