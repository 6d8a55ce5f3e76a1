import { useEffect, useMemo } from 'react'
import type { DocumentPage, DocumentQuery, StoredDocument } from '@amodal/sdk/client'
import type { Change } from '../connection/change-feed.ts'
import { useReading } from './use-reading.ts'

type Fields = StoredDocument['payload']

export interface RefreshOptions {
  /** ms between refreshes, besides those for changes; 1,000 at least. */
  readonly refreshInterval?: number
}

export interface StoreListOptions extends DocumentQuery, RefreshOptions {}

export interface StoreList<T> {
  /** The documents without what the store knows of them; `undefined` until they are read. */
  readonly data: readonly T[] | undefined
  readonly documents: readonly StoredDocument<T>[] | undefined
  /** All that match, on this page or not. */
  readonly total: number | undefined
  readonly hasMore: boolean
  readonly loading: boolean
  readonly error: Error | undefined
  readonly refresh: () => void
}

/** Documents of a list whose limit is absent. */
const LIMIT = 100
const SHORTEST_INTERVAL_MS = 1_000

/**
 * Documents of a store, read anew whenever one of them changes.
 *
 * @param options `limit`: default: 100
 * @example
 * const { data } = useStoreList('incidents', { filter: { severity: 'P1' }, limit: 10 })
 */
export function useStoreList<T = Fields>(
  store: string,
  options: StoreListOptions = {},
): StoreList<T> {
  const { filter, sort, limit = LIMIT, offset, refreshInterval } = options
  const query: DocumentQuery = { filter, sort, limit, offset }
  const { data: page, ...reading } = useReading<DocumentPage<T>>(
    `stores ${store} ${JSON.stringify(query)}`,
    (connection) => ({
      async read(emit, signal) {
        emit(await connection.client.stores.list<T>(store, { ...query, signal }))
      },
      watch: (refresh) => connection.watch((change) => isOf(change, store), refresh),
    }),
  )
  useInterval(reading.refresh, refreshInterval)
  const documents = page?.documents
  const data = useMemo(() => documents?.map(({ payload }) => payload), [documents])
  return { data, documents, total: page?.total, hasMore: page?.hasMore ?? false, ...reading }
}

export interface StoreDocument<T> {
  /** `undefined` where there is none with this key, and until it is read. */
  readonly data: T | undefined
  readonly document: StoredDocument<T> | undefined
  readonly loading: boolean
  readonly error: Error | undefined
  readonly refresh: () => void
}

/**
 * One document of a store, read anew whenever it changes.
 *
 * @param key `undefined`: there is none yet
 * @example
 * const { data: incident } = useStore('incidents', 'INC-2041')
 */
export function useStore<T = Fields>(
  store: string,
  key: string | undefined,
  { refreshInterval }: RefreshOptions = {},
): StoreDocument<T> {
  const { data, ...reading } = useReading<{ readonly document: StoredDocument<T> | undefined }>(
    key === undefined ? undefined : `store ${JSON.stringify([store, key])}`,
    (connection) => ({
      async read(emit, signal) {
        emit({ document: await connection.client.stores.get<T>(store, key ?? '', { signal }) })
      },
      watch: (refresh) => connection.watch((change) => isOf(change, store), refresh),
    }),
  )
  useInterval(reading.refresh, refreshInterval)
  const document = data?.document
  return { data: document?.payload, document, ...reading }
}

const isOf = (change: Change, store: string): boolean =>
  change.type === 'store_updated' && 'storeName' in change && change['storeName'] === store

function useInterval(refresh: () => void, ms: number | undefined): void {
  useEffect(() => {
    if (ms === undefined) return
    const timer = setInterval(refresh, Math.max(SHORTEST_INTERVAL_MS, ms))
    return () => clearInterval(timer)
  }, [refresh, ms])
}
