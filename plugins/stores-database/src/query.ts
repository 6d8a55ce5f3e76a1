import type { Statement, StoreDefinition, StoreQuery } from '@amodal/sdk'
import {
  condition,
  fieldOf,
  indexed,
  indexName,
  Parameters,
  typed,
  type Column,
} from './conditions.ts'

/** Columns of a document `d`. */
export const DOCUMENT =
  'd.key, version, payload, computed_at, expires_at, trace, (expires_at is not null and expires_at <= now()) as stale'

/**
 * Documents up to which they are all looked at and sorted. Beyond, the index is walked in its order
 * until the page is full.
 */
const FEW = 2_000

/**
 * Fences, since the planner may know nothing of these tables yet: it cannot reorder across them,
 * and without the order of what is around it takes the index that fits the condition. Behind
 * `SOME_OF`, whose number it cannot know, it expects that a tenth is read, and so reads in the
 * order of an index instead of sorting everything.
 */
const FENCE = 'offset 0'
const SOME_OF = 'limit (select 2147483647)'

/** Parts of a statement. */
class Query {
  readonly #store: StoreDefinition
  readonly #query: StoreQuery
  readonly parameters = new Parameters()
  readonly store: string

  constructor(store: StoreDefinition, query: StoreQuery) {
    this.#store = store
    this.#query = query
    this.store = this.parameters.add(store.name)
  }

  /** Keys by the index, and conditions that only the documents can answer. */
  split(): { readonly keys: string | undefined; readonly where: string } {
    const keys: string[] = []
    const rest: string[] = []
    for (const filter of this.#query.filters) {
      const found = indexed(this.#store, filter, this.parameters)
      if (found === undefined) rest.push(condition(this.#store, filter, this.parameters))
      else
        keys.push(
          `select key from (select key from stores_database_value where store = ${this.store} and ${found} ${FENCE}) f`,
        )
    }
    return {
      keys: keys.length === 0 ? undefined : keys.join(' intersect '),
      where: rest.map((one) => ` and ${one}`).join(''),
    }
  }

  /** Every filter as a condition on documents. */
  where(): string {
    return this.#query.filters
      .map((filter) => ` and ${condition(this.#store, filter, this.parameters)}`)
      .join('')
  }

  /** For each key of `keys`, its document, if it meets the rest. */
  documents(keys: string, where: string, columns = 'd.*'): string {
    return `(${keys}) k cross join lateral (select ${columns} from stores_database_document d where d.store = ${this.store} and d.key = k.key${where} ${FENCE}) d`
  }

  page(): string {
    return `limit ${this.parameters.add(this.#query.limit)}::int offset ${this.parameters.add(this.#query.offset)}::int`
  }
}

/** How many documents a query finds. */
export function countStatement(store: StoreDefinition, query: StoreQuery): Statement {
  const parts = new Query(store, query)
  const { keys, where } = parts.split()
  const from =
    keys === undefined
      ? `stores_database_document where store = ${parts.store}${where}`
      : where === ''
        ? `(${keys}) k`
        : parts.documents(keys, where, '1 as one')
  return { sql: `select count(*)::int as total from ${from}`, parameters: parts.parameters.values }
}

/**
 * One page of a query.
 *
 * @param total how many documents it finds: what is few is sorted, what is many is read in the
 *   order of the index
 */
export function pageStatement(store: StoreDefinition, query: StoreQuery, total: number): Statement {
  const parts = new Query(store, query)
  const { sort } = query
  const found = sort && fieldOf(store, sort.field)
  const direction = sort?.descending === true ? 'desc' : 'asc'
  const sql = !found
    ? byKey(parts)
    : found.column !== undefined && total > FEW
      ? walked(parts, found.path, found.column, direction)
      : sorted(parts, direction, typed(found, parts.parameters))
  return { sql, parameters: parts.parameters.values }
}

/** All that are found are looked at, and sorted. */
function sorted(parts: Query, direction: string, value: string): string {
  const { keys, where } = parts.split()
  const [from, key] =
    keys === undefined
      ? [`stores_database_document d where store = ${parts.store}${where}`, 'd.key']
      : [parts.documents(keys, where), 'k.key']
  return `select ${DOCUMENT} from ${from} order by ${value} ${direction} nulls last, ${key} ${direction} ${parts.page()}`
}

/** In the order of the keys the page is full before all documents have been looked at. */
function byKey(parts: Query): string {
  const { keys, where } = parts.split()
  const inOrder =
    keys === undefined
      ? `select key from stores_database_document where store = ${parts.store} order by key ${SOME_OF}`
      : `select key from (${keys}) every order by key ${FENCE}`
  return `select ${DOCUMENT} from ${parts.documents(inOrder, where)} order by k.key ${parts.page()}`
}

/**
 * First those that have a value, in the order of the index, then the others. The second part is not
 * begun while the first one fills the page.
 */
function walked(parts: Query, path: readonly string[], column: Column, direction: string): string {
  const where = parts.where()
  const field = parts.parameters.add(indexName(path))
  const inOrder = `select key, ${column} as at from stores_database_value where store = ${parts.store} and field = ${field} and ${column} is not null order by ${column} ${direction}, key ${direction} ${SOME_OF}`
  return `select ${DOCUMENT} from (
    (select d.* from ${parts.documents(inOrder, where)} order by k.at ${direction}, k.key ${direction})
    union all
    (select d.* from stores_database_document d where d.store = ${parts.store}${where} and not exists (
      select from stores_database_value v where v.store = ${parts.store} and v.key = d.key and v.field = ${field} and v.${column} is not null)
    order by d.key ${direction})) d ${parts.page()}`
}
