import {
  isList,
  parseDateTime,
  never,
  type Json,
  type StoreDefinition,
  type StoreField,
  type StoreFilter,
} from '@amodal/sdk'
import { type ExactNumber, isNumber } from '@amodal/sdk/data'
import { sql, type RawBuilder } from '@amodal/sdk/database'
import { storeField } from '@amodal/sdk/stores'

/** A part of a statement. */
export type Sql = RawBuilder<unknown>

/** The columns of `stores_database_value`. */
export type Column = 'text' | 'number' | 'flag' | 'moment'
const TYPES: Readonly<Record<Column, Sql>> = {
  text: sql`text`,
  number: sql`float8`,
  flag: sql`boolean`,
  moment: sql`timestamptz`,
}

/** Characters of a text that are kept in the index. */
const INDEXED = 256

/**
 * A field as it is looked for: the names that lead to it, and the column of its values. Lists and
 * objects have none.
 */
export interface Found {
  readonly path: readonly string[]
  readonly column: Column | undefined
}

export function fieldOf(store: StoreDefinition, name: string): Found {
  const { field, path = [name] } = storeField(store, name) ?? {}
  return { path, column: columnOf(field) }
}

function columnOf(field: StoreField | undefined): Column | undefined {
  const type = field?.type
  switch (type) {
    case 'number':
      return 'number'
    case 'boolean':
      return 'flag'
    case 'datetime':
      return 'moment'
    case undefined:
    case 'string':
    case 'enum':
    case 'ref':
      return 'text'
    case 'array':
    case 'object':
      return undefined
    default:
      return never(type)
  }
}

/** How the index spells a field. */
export const indexName = (path: readonly string[]): string => path.join('\u001f')

/**
 * The field of a document as a value of its own type, so that 9 sorts before 10. A document from
 * before the schema changed may hold something else there: that is nothing then, and never an error
 * that keeps all others away.
 */
export function typed({ path, column }: Found): Sql {
  const names = sql`${path}::text[]`
  const only = (kind: string, value: Sql): Sql =>
    sql`(case jsonb_typeof(payload #> ${names}) when ${sql.lit(kind)} then ${value} end)`
  const text = sql`(payload #>> ${names})`
  switch (column) {
    case 'number':
      return only('number', sql`${text}::float8`)
    case 'flag':
      return only('boolean', sql`${text}::boolean`)
    case 'moment':
      return only('string', sql`stores_database_moment(${text})`)
    case 'text':
      return sql`${only('string', text)} collate "C"`
    case undefined:
      return sql`null::text`
    default:
      return never(column)
  }
}

/** A number with all of its digits. */
const digitsOf = ({ path }: Found): Sql =>
  sql`(case jsonb_typeof(payload #> ${path}::text[]) when 'number' then (payload #>> ${path}::text[])::numeric end)`

/** What a field is compared with; `undefined` where nothing can be more or less than it. */
function operand(column: Column | undefined, value: Json): Sql | undefined {
  switch (column) {
    case 'number':
      return isNumber(value) ? sql`${String(value)}::float8` : undefined
    case 'flag':
      return typeof value === 'boolean' ? sql`${value}::boolean` : undefined
    case 'moment':
      return typeof value === 'string' && parseDateTime(value) !== undefined
        ? sql`stores_database_moment(${value}::text)`
        : undefined
    case 'text':
      return typeof value === 'string' ? sql`${value}::text` : undefined
    case undefined:
      return undefined
    default:
      return never(column)
  }
}

const COMPARE = { gt: sql`>`, gte: sql`>=`, lt: sql`<`, lte: sql`<=` } as const
const NEVER = sql`false`

/**
 * Whether a document meets a condition, as SQL over `payload`: for every filter there is, without
 * an index.
 */
export function condition(store: StoreDefinition, { field, op, value }: StoreFilter): Sql {
  const found = fieldOf(store, field)
  const json = (one: Json): Sql => sql`${JSON.stringify(one)}::jsonb`
  const whole = sql`coalesce(payload #> ${found.path}::text[], 'null'::jsonb)`
  switch (op) {
    case 'eq':
      return sql`${whole} = ${json(value)}`
    case 'ne':
      return sql`${whole} <> ${json(value)}`
    case 'in':
      return isList(value) ? sql`${whole} in (select jsonb_array_elements(${json(value)}))` : NEVER
    case 'gt':
    case 'gte':
    case 'lt':
    case 'lte': {
      if (found.column === 'number' && isNumber(value) && !isIndexed(value))
        return sql`${digitsOf(found)} ${COMPARE[op]} ${String(value)}::numeric`
      const bound = operand(found.column, value)
      return bound === undefined ? NEVER : sql`${typed(found)} ${COMPARE[op]} ${bound}`
    }
    case 'contains':
      if (storeField(store, field)?.field.type === 'array')
        return sql`${whole} @> jsonb_build_array(${json(value)})`
      return typeof value === 'string'
        ? sql`position(lower(${value}::text) in lower(payload #>> ${found.path}::text[])) > 0`
        : NEVER
    default:
      return never(op)
  }
}

/**
 * The same as SQL over a row of `stores_database_value`; `undefined` where the index cannot say.
 */
export function indexed(
  store: StoreDefinition,
  { field, op, value }: StoreFilter,
): Sql | undefined {
  const { path, column } = fieldOf(store, field)
  switch (op) {
    // Equal is equal as JSON, so it is the value that says where to look.
    case 'eq':
    case 'in': {
      const list: readonly Json[] = isList(value) ? value : []
      const values = op === 'eq' ? [value] : list
      const [where, ...others] = new Set(values.map(columnOfValue))
      if (where === undefined || others.length > 0) return undefined
      return sql`field = ${indexName(path)} and ${sql.ref(where)} = any(${values}::${TYPES[where]}[])`
    }
    case 'gt':
    case 'gte':
    case 'lt':
    case 'lte': {
      const bound = columnOfValue(value) === undefined ? undefined : operand(column, value)
      return column === undefined || bound === undefined
        ? undefined
        : sql`field = ${indexName(path)} and ${sql.ref(column)} ${COMPARE[op]} ${bound}`
    }
    case 'ne':
    case 'contains':
      return undefined
    default:
      return never(op)
  }
}

/** The index has doubles: from here on several numbers are the same one there. */
const isIndexed = (value: number | ExactNumber): boolean =>
  typeof value === 'number' && Math.abs(value) < Number.MAX_SAFE_INTEGER

/** A text as long as what is kept, or longer, cannot be told from others that begin alike. */
function columnOfValue(value: Json): Column | undefined {
  if (typeof value === 'string') return value.length < INDEXED ? 'text' : undefined
  if (isNumber(value)) return isIndexed(value) ? 'number' : undefined
  return typeof value === 'boolean' ? 'flag' : undefined
}
