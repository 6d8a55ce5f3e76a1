import type { JsonObject } from '@amodal/kernel'
import { defined } from '../defined.ts'
import type { HttpTransport, Signal } from './http-transport.ts'
import { ClientError } from './types.ts'

/** A document of a store, with what the store knows of it. */
export interface StoredDocument<T = JsonObject> {
  readonly key: string
  readonly version: number
  readonly payload: T
  readonly meta: {
    /** ISO 8601. */
    readonly computedAt: string
    readonly stale: boolean
    readonly ttl?: number
    readonly expiresAt?: string
  }
}

/** Documents of a store, one page of them. */
export interface DocumentPage<T = JsonObject> {
  readonly documents: readonly StoredDocument<T>[]
  /** All that match, on this page or not. */
  readonly total: number
  readonly hasMore: boolean
}

/** Which documents of a store, and in which order. */
export interface DocumentQuery {
  /** For each field a value, a list of values, or operators such as `{ gte: 5 }`. */
  readonly filter?: JsonObject | undefined
  readonly sort?: { readonly field: string; readonly order?: 'asc' | 'desc' } | undefined
  /** 1 to 1,000. */
  readonly limit?: number | undefined
  readonly offset?: number | undefined
}

/** A store as the caller may use it. */
export interface StoreSummary {
  readonly name: string
  readonly description?: string
  readonly key: string
  readonly documentCount: number
  readonly access: { readonly write: boolean; readonly delete: boolean }
}

export interface WriteOptions extends Signal {
  /** The version that is replaced, 0 for a new document; `STORE_CONFLICT` over any other. */
  readonly version?: number
  /** The same key again is the same write. */
  readonly key?: string
}

/** What was written. */
export interface Written {
  readonly key: string
  readonly version: number
}

/**
 * The documents of the agent's stores.
 *
 * @example
 * const { documents } = await client.stores.list('incidents', { filter: { severity: 'P1' } })
 */
export interface Stores {
  /** The stores that the caller may read. */
  all(options?: Signal): Promise<readonly StoreSummary[]>
  list<T = JsonObject>(store: string, query?: DocumentQuery & Signal): Promise<DocumentPage<T>>
  /** `undefined` where the store has no document with this key. */
  get<T = JsonObject>(
    store: string,
    key: string,
    options?: Signal,
  ): Promise<StoredDocument<T> | undefined>
  put(store: string, document: JsonObject, options?: WriteOptions): Promise<Written>
  remove(store: string, key: string, options?: Signal): Promise<void>
}

/** The methods of {@link Stores} over HTTP. */
export function storesOver(transport: HttpTransport): Stores {
  const at = (store: string, key?: string): string =>
    `/api/stores/${encodeURIComponent(store)}${key === undefined ? '' : `/${encodeURIComponent(key)}`}`
  return {
    async all({ signal } = {}) {
      const { stores } = await transport.json<{ readonly stores: readonly StoreSummary[] }>(
        '/api/stores',
        { signal },
      )
      return stores
    },
    list: (store, { signal, ...query } = {}) =>
      transport.json(`${at(store)}?${queryOf(query)}`, { signal }),
    async get<T>(store: string, key: string, { signal }: Signal = {}) {
      try {
        const { document } = await transport.json<{ readonly document: StoredDocument<T> }>(
          at(store, key),
          { signal },
        )
        return document
      } catch (cause) {
        if (isNoDocument(cause)) return undefined
        throw cause
      }
    },
    put: (store, document, { version, key, signal } = {}) =>
      transport.json(at(store), {
        method: 'POST',
        body: document,
        headers: {
          ...(key !== undefined && { 'idempotency-key': key }),
          ...(version === 0 && { 'if-none-match': '*' }),
          ...(version !== undefined && version > 0 && { 'if-match': `"${version}"` }),
        },
        signal,
      }),
    async remove(store, key, { signal } = {}) {
      await transport.json(at(store, key), { method: 'DELETE', signal })
    },
  }
}

/** A store that does not exist has the same code. */
const isNoDocument = (cause: unknown): boolean =>
  cause instanceof ClientError &&
  cause.code === 'NOT_FOUND' &&
  cause.message.includes('no such document')

function queryOf({ filter, sort, limit, offset }: DocumentQuery): string {
  const query = defined({
    filter: filter && JSON.stringify(filter),
    sort: sort && `${sort.order === 'desc' ? '-' : ''}${sort.field}`,
    limit: limit?.toString(),
    offset: offset?.toString(),
  })
  return new URLSearchParams(query).toString()
}
