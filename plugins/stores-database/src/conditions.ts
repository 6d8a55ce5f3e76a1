import { never, type Json, type StoreDefinition, type StoreFilter, type StoreQuery } from '@amodal/sdk'

/** Collects parameters while a statement is written; names of fields are parameters too. */
export class Parameters {
  readonly values: unknown[] = []
  add(value: unknown): string {
    this.values.push(value)
    return `$${this.values.length}`
  }
}

/** The field as a value of its own type, so that 9 sorts before 10. */
function column(store: StoreDefinition, field: string, parameters: Parameters): string {
  const text = `(payload ->> ${parameters.add(field)}::text)`
  switch (store.entity.schema[field]?.type) {
    case 'number': return `${text}::numeric`
    case 'boolean': return `${text}::boolean`
    case 'datetime': return `${text}::timestamptz`
    default: return `${text} collate "C"`
  }
}

function cast(store: StoreDefinition, field: string): string {
  switch (store.entity.schema[field]?.type) {
    case 'number': return '::numeric'
    case 'boolean': return '::boolean'
    case 'datetime': return '::timestamptz'
    default: return '::text'
  }
}

const COMPARE = { gt: '>', gte: '>=', lt: '<', lte: '<=' } as const

function condition(store: StoreDefinition, { field, op, value }: StoreFilter, parameters: Parameters): string {
  const json = (one: Json): string => `${parameters.add(JSON.stringify(one))}::jsonb`
  const whole = `coalesce(payload -> ${parameters.add(field)}::text, 'null'::jsonb)`
  switch (op) {
    case 'eq': return `${whole} = ${json(value)}`
    case 'ne': return `${whole} <> ${json(value)}`
    case 'in': return `${whole} in (select jsonb_array_elements(${json(value)}))`
    case 'gt': case 'gte': case 'lt': case 'lte':
      return `${column(store, field, parameters)} ${COMPARE[op]} ${parameters.add(String(value))}${cast(store, field)}`
    case 'contains':
      return store.entity.schema[field]?.type === 'array'
        ? `${whole} @> jsonb_build_array(${json(value)})`
        : `position(lower(${parameters.add(String(value))}) in lower(payload ->> ${parameters.add(field)}::text)) > 0`
    default: return never(op)
  }
}

/** `where` and `order by` of a query. */
export function clauses(store: StoreDefinition, query: StoreQuery, parameters: Parameters): { readonly where: string; readonly order: string } {
  const where = [`store = ${parameters.add(store.name)}`, ...query.filters.map((filter) => condition(store, filter, parameters))].join(' and ')
  const { sort } = query
  const order = sort ? `${column(store, sort.field, parameters)} ${sort.descending ? 'desc nulls last' : 'asc nulls last'}, key` : 'key'
  return { where, order }
}
