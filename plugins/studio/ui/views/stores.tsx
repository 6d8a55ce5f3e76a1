import { useCallback, useEffect, useMemo, type ReactNode } from 'react'
import type { Live } from '../model/live.ts'
import { addressOf, type Route } from '../model/route.ts'
import type { Server } from '../model/server.ts'
import { tableQuery } from '../model/store-query.ts'
import { labelOf, StoresApi, type StoreInfo } from '../model/stores.ts'
import { Icon } from '../parts/icons.tsx'
import { LoadProblem } from '../parts/load-problem.tsx'
import { Skeleton } from '../parts/skeleton.tsx'
import { Status } from '../parts/status.tsx'
import { STRINGS } from '../strings.ts'
import { DeadLetters } from './dead-letters.tsx'
import { StoreDocument } from './document.tsx'
import { NewDocument } from './new-document.tsx'
import { StoreHead, StoreTable } from './store-table.tsx'
import { useReport } from './use-report.ts'
import '../styles/stores.css'
import '../styles/pages.css'
import '../styles/places.css'

export interface StoresProps {
  readonly server: Server
  readonly route: Extract<Route, { readonly view: 'stores' | 'store' }>
  readonly live: Live
}

/** ms for which changes are gathered before the numbers are read anew. */
const SETTLE_MS = 500

/** The stores of the agent, the documents of one, or one document. */
export function Stores({ server, route, live }: StoresProps): ReactNode {
  const api = useMemo(() => new StoresApi(server), [server])
  const ask = useCallback(() => api.list(), [api])
  const { value: stores, problem, refresh } = useReport(ask)
  const news = live.events.find(
    ({ type }) => type === 'store_updated' || type === 'manifest_changed',
  )?.seq
  useSettled(news, refresh)
  if (problem !== undefined && !stores) return <LoadProblem problem={problem} onRetry={refresh} />
  if (!stores) return <Skeleton />
  if (route.view === 'stores') return <StoreIndex stores={stores} />
  const info = stores.find(({ name }) => name === route.store)
  if (!info) return <p className="muted hint">{STRINGS.stores.missing(route.store)}</p>
  return <OneStore {...{ api, info, live, route }} />
}

function OneStore({
  api,
  info,
  live,
  route,
}: {
  readonly api: StoresApi
  readonly info: StoreInfo
  readonly live: Live
  readonly route: Extract<Route, { readonly view: 'store' }>
}): ReactNode {
  const { key, query } = route
  const change = useStoreChange(live, info.name)
  if (key !== undefined)
    return (
      <StoreDocument
        key={`${info.name} ${key}`}
        {...{ api, info, change }}
        documentKey={key}
        isEdited={new URLSearchParams(query).has('edit')}
      />
    )
  const { show } = tableQuery(query)
  if (show === 'new' && info.access.write) return <NewDocument {...{ api, info }} />
  const isDead = show === 'dead' && info.deadLetterCount !== null
  return (
    <div className="store-view">
      <StoreHead {...{ info, query }} isDead={isDead} />
      {isDead ? (
        <DeadLetters key={info.name} {...{ api, info, change }} />
      ) : (
        <StoreTable key={info.name} {...{ api, info, change, query }} />
      )}
    </div>
  )
}

/** The newest event after which documents of the store are others than before. */
function useStoreChange({ events }: Live, store: string): number | undefined {
  return events.find(({ type, storeName }) => type === 'store_updated' && storeName === store)?.seq
}

/** Runs once for all changes of half a second. */
function useSettled(change: number | undefined, run: () => void): void {
  useEffect(() => {
    if (change === undefined) return
    const timer = setTimeout(run, SETTLE_MS)
    return () => clearTimeout(timer)
  }, [change])
}

function StoreIndex({ stores }: { readonly stores: readonly StoreInfo[] }): ReactNode {
  const { title, empty, emptyHint, columns } = STRINGS.stores
  return (
    <section className="view wide" aria-labelledby="stores-title">
      <header className="view-head">
        <h2 id="stores-title">{title}</h2>
      </header>
      {stores.length === 0 ? (
        <div className="empty">
          <Icon name="stores" />
          <p>{empty}</p>
          <p className="muted">{emptyHint}</p>
        </div>
      ) : (
        <table className="list">
          <thead>
            <tr>
              <th>{columns.name}</th>
              <th className="wide-only">{columns.entity}</th>
              <th className="align-right">{columns.documents}</th>
              <th className="align-right wide-only">{columns.history}</th>
              <th className="align-right wide-only">{columns.ttl}</th>
              <th className="align-right">{columns.dead}</th>
            </tr>
          </thead>
          <tbody>
            {stores.map((store) => (
              <IndexRow key={store.name} store={store} />
            ))}
          </tbody>
        </table>
      )}
    </section>
  )
}

const numbers = new Intl.NumberFormat('en')

function IndexRow({ store }: { readonly store: StoreInfo }): ReactNode {
  const { name, description, entity, documentCount, history, ttl, deadLetterCount } = store
  return (
    <tr>
      <td className="main" title={description}>
        <a href={addressOf({ view: 'store', store: name, query: '' })}>{labelOf(name)}</a>
        {description !== undefined && <span className="muted about">{description}</span>}
      </td>
      <td className="wide-only">
        {entity}
        {store.shared === true && <small className="muted"> {STRINGS.stores.shared}</small>}
      </td>
      <td className="align-right">{numbers.format(documentCount)}</td>
      <td className="align-right wide-only">{history === 0 ? '–' : history}</td>
      <td className="align-right wide-only">{ttl === null ? '–' : duration(ttl)}</td>
      <td className="align-right">
        {deadLetterCount === null || deadLetterCount === 0 ? (
          <span className="muted">{deadLetterCount ?? '–'}</span>
        ) : (
          <a href={addressOf({ view: 'store', store: name, query: 'show=dead' })}>
            <Status tone="bad">{numbers.format(deadLetterCount)}</Status>
          </a>
        )}
      </td>
    </tr>
  )
}

const UNITS = [
  ['d', 86_400],
  ['h', 3_600],
  ['min', 60],
  ['s', 1],
] as const

/** 90 is "1 min 30 s". */
export function duration(seconds: number): string {
  let rest = seconds
  const parts = UNITS.flatMap(([unit, length]) => {
    const count = Math.floor(rest / length)
    rest -= count * length
    return count > 0 ? [`${count} ${unit}`] : []
  })
  return parts.slice(0, 2).join(' ') || '0 s'
}
