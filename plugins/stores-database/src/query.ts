import type { JsonObject, StoreDefinition, StoreQuery } from '@amodal/sdk'
import { sql, type RawBuilder } from '@amodal/sdk/database'
import {
  condition,
  fieldOf,
  indexed,
  indexName,
  typed,
  type Column,
  type Sql,
} from './conditions.ts'

/** A document as it is read. */
export interface DocumentRow {
  readonly key: string
  readonly version: number
  readonly payload: JsonObject
  readonly computed_at: Date
  readonly expires_at: Date | null
  readonly trace: JsonObject | null
  readonly stale: boolean
}

/** Columns of a document `d`. */
const DOCUMENT = sql`d.key, version, payload, computed_at, expires_at, trace, (expires_at is not null and expires_at <= now()) as stale`

/**
 * Documents up to which they are all looked at and sorted. Beyond, the index is walked in its order
 * until the page is full.
 */
const FEW = 2_000

/**
 * Fences, since the planner may know nothing of these tables yet: it cannot reorder across them,
 * and without the order of what is around it takes the index that fits the condition. Behind
 * `SOME_OF`, whose number it cannot know, it expects that a tenth is read, and so reads in the
 * order of an index instead of sorting everything. They are why these statements are templates.
 */
const OPTIMIZATION_FENCE = sql`offset 0`
const SOME_OF = sql`limit (select 2147483647)`

const INTERSECT = sql` intersect `
const AND = sql` and `

/** Every one of these as well; nothing where there are none. */
const andAll = (conditions: readonly Sql[]): Sql =>
  conditions.length === 0 ? sql`` : sql`and ${sql.join(conditions, AND)}`

/** Parts of a statement. */
class Query {
  readonly #definition: StoreDefinition
  readonly #query: StoreQuery
  readonly store: string

  constructor(definition: StoreDefinition, query: StoreQuery) {
    this.#definition = definition
    this.#query = query
    this.store = definition.name
  }

  /** Keys by the index, and conditions that only the documents can answer. */
  split(): { readonly keys: Sql | undefined; readonly where: Sql; readonly some: boolean } {
    const keys: Sql[] = []
    const rest: Sql[] = [...this.#changed()]
    for (const filter of this.#query.filters) {
      const found = indexed(this.#definition, filter)
      if (found === undefined) rest.push(condition(this.#definition, filter))
      else
        keys.push(
          sql`select key from (select key from stores_database_value where store = ${this.store} and ${found} ${OPTIMIZATION_FENCE}) f`,
        )
    }
    return {
      keys: keys.length === 0 ? undefined : sql.join(keys, INTERSECT),
      where: andAll(rest),
      some: rest.length > 0,
    }
  }

  /** Every filter as a condition on documents. */
  where(): Sql {
    return andAll([
      ...this.#changed(),
      ...this.#query.filters.map((filter) => condition(this.#definition, filter)),
    ])
  }

  #changed(): readonly Sql[] {
    const { changedSince } = this.#query
    return changedSince === undefined ? [] : [sql`computed_at >= ${changedSince}::timestamptz`]
  }

  /** For each key of `keys`, its document, if it meets the rest. */
  documents(keys: Sql, where: Sql, columns: Sql = sql`d.*`): Sql {
    return sql`(${keys}) k cross join lateral (select ${columns} from stores_database_document d where d.store = ${this.store} and d.key = k.key ${where} ${OPTIMIZATION_FENCE}) d`
  }

  page(): Sql {
    return sql`limit ${this.#query.limit}::int offset ${this.#query.offset}::int`
  }
}

/** How many documents a query finds. */
export function countStatement(
  store: StoreDefinition,
  query: StoreQuery,
): RawBuilder<{ total: number }> {
  const parts = new Query(store, query)
  const { keys, where, some } = parts.split()
  let from = sql`stores_database_document where store = ${parts.store} ${where}`
  if (keys !== undefined)
    from = some ? parts.documents(keys, where, sql`1 as one`) : sql`(${keys}) k`
  return sql`select count(*)::int as total from ${from}`
}

/**
 * One page of a query.
 *
 * @param total how many documents it finds: what is few is sorted, what is many is read in the
 *   order of the index
 */
export function pageStatement(
  store: StoreDefinition,
  query: StoreQuery,
  total: number,
): RawBuilder<DocumentRow> {
  const parts = new Query(store, query)
  const { sort } = query
  const found = sort && fieldOf(store, sort.field)
  const direction = sort?.descending === true ? sql`desc` : sql`asc`
  if (!found) return byKey(parts)
  return found.column !== undefined && total > FEW
    ? walked(parts, found.path, found.column, direction)
    : sorted(parts, direction, typed(found))
}

/** All that are found are looked at, and sorted. */
function sorted(parts: Query, direction: Sql, value: Sql): RawBuilder<DocumentRow> {
  const { keys, where } = parts.split()
  const [from, key] =
    keys === undefined
      ? [sql`stores_database_document d where store = ${parts.store} ${where}`, sql`d.key`]
      : [parts.documents(keys, where), sql`k.key`]
  return sql`select ${DOCUMENT} from ${from} order by ${value} ${direction} nulls last, ${key} ${direction} ${parts.page()}`
}

/** In the order of the keys the page is full before all documents have been looked at. */
function byKey(parts: Query): RawBuilder<DocumentRow> {
  const { keys, where } = parts.split()
  const inOrder =
    keys === undefined
      ? sql`select key from stores_database_document where store = ${parts.store} order by key ${SOME_OF}`
      : sql`select key from (${keys}) every order by key ${OPTIMIZATION_FENCE}`
  return sql`select ${DOCUMENT} from ${parts.documents(inOrder, where)} order by k.key ${parts.page()}`
}

/**
 * First those that have a value, in the order of the index, then the others. The second part is not
 * begun while the first one fills the page.
 */
function walked(
  parts: Query,
  path: readonly string[],
  column: Column,
  direction: Sql,
): RawBuilder<DocumentRow> {
  const where = parts.where()
  const field = indexName(path)
  const value = sql.ref(column)
  const inOrder = sql`select key, ${value} as at from stores_database_value where store = ${parts.store} and field = ${field} and ${value} is not null order by ${value} ${direction}, key ${direction} ${SOME_OF}`
  return sql`select ${DOCUMENT} from (
    (select d.* from ${parts.documents(inOrder, where)} order by k.at ${direction}, k.key ${direction})
    union all
    (select d.* from stores_database_document d where d.store = ${parts.store} ${where} and not exists (
      select from stores_database_value v where v.store = ${parts.store} and v.key = d.key and v.field = ${field} and v.${value} is not null)
    order by d.key ${direction})) d ${parts.page()}`
}
