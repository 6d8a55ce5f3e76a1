import { momentOf, never, type Json, type StoreDefinition, type StoreFilter, type StoreQuery } from '@amodal/sdk'

/** Collects parameters while a statement is written; names of fields are parameters too. */
export class Parameters {
  readonly values: unknown[] = []
  add(value: unknown): string {
    this.values.push(value)
    return `$${this.values.length}`
  }
}

/**
 * The field as a value of its own type, so that 9 sorts before 10. A document from before the schema changed may hold
 * something else there: that is nothing then, and never an error that keeps all others away.
 */
function column(store: StoreDefinition, field: string, parameters: Parameters): string {
  const name = `${parameters.add(field)}::text`
  const text = `(payload ->> ${name})`
  switch (store.entity.schema[field]?.type) {
    case 'number': return `(case jsonb_typeof(payload -> ${name}) when 'number' then ${text}::numeric end)`
    case 'boolean': return `(case jsonb_typeof(payload -> ${name}) when 'boolean' then ${text}::boolean end)`
    case 'datetime': return `stores_database_moment(${text})`
    default: return `${text} collate "C"`
  }
}

/** What a field is compared with; `undefined` where nothing can be more or less than it. */
function operand(store: StoreDefinition, field: string, value: Json, parameters: Parameters): string | undefined {
  switch (store.entity.schema[field]?.type) {
    case 'number': return typeof value === 'number' ? `${parameters.add(value)}::numeric` : undefined
    case 'boolean': return typeof value === 'boolean' ? `${parameters.add(value)}::boolean` : undefined
    case 'datetime': return typeof value === 'string' && momentOf(value) !== undefined ? `stores_database_moment(${parameters.add(value)}::text)` : undefined
    default: return typeof value === 'string' ? `${parameters.add(value)}::text` : undefined
  }
}

const COMPARE = { gt: '>', gte: '>=', lt: '<', lte: '<=' } as const

function condition(store: StoreDefinition, { field, op, value }: StoreFilter, parameters: Parameters): string {
  const json = (one: Json): string => `${parameters.add(JSON.stringify(one))}::jsonb`
  const whole = (): string => `coalesce(payload -> ${parameters.add(field)}::text, 'null'::jsonb)`
  switch (op) {
    case 'eq': return `${whole()} = ${json(value)}`
    case 'ne': return `${whole()} <> ${json(value)}`
    case 'in': return Array.isArray(value) ? `${whole()} in (select jsonb_array_elements(${json(value)}))` : 'false'
    case 'gt': case 'gte': case 'lt': case 'lte': {
      const bound = operand(store, field, value, parameters)
      return bound === undefined ? 'false' : `${column(store, field, parameters)} ${COMPARE[op]} ${bound}`
    }
    case 'contains':
      return store.entity.schema[field]?.type === 'array'
        ? `${whole()} @> jsonb_build_array(${json(value)})`
        : typeof value === 'string' ? `position(lower(${parameters.add(value)}::text) in lower(payload ->> ${parameters.add(field)}::text)) > 0` : 'false'
    default: return never(op)
  }
}

/** `where` and `order by` of a query. */
export function clauses(store: StoreDefinition, query: StoreQuery, parameters: Parameters): { readonly where: string; readonly order: string } {
  const where = [`store = ${parameters.add(store.name)}`, ...query.filters.map((filter) => condition(store, filter, parameters))].join(' and ')
  const { sort } = query
  const order = sort ? `${column(store, sort.field, parameters)} ${sort.descending ? 'desc' : 'asc'} nulls last, key` : 'key'
  return { where, order }
}
