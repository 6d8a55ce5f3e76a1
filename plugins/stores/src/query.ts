import { err, ok, type Json, type JsonObject, type Result, type StoreDefinition, type StoreFilter, type StoreQuery } from '@amodal/sdk'

const OPERATORS = ['eq', 'ne', 'gt', 'gte', 'lt', 'lte', 'in', 'contains'] as const
type Operator = (typeof OPERATORS)[number]
const isOperator = (name: string): name is Operator => OPERATORS.some((one) => one === name)
const isObject = (value: Json): value is JsonObject => typeof value === 'object' && value !== null && !Array.isArray(value)

export interface AskedQuery { readonly filter?: JsonObject | undefined; readonly sort?: string | undefined; readonly limit?: number | undefined; readonly offset?: number | undefined }

/**
 * Reads a query as tools and the API take it: `{"status": "open", "score": {"gte": 5}}`, sort `-opened_at`.
 * A field the store does not have is an error, never an empty result.
 */
export function readQuery(store: StoreDefinition, asked: AskedQuery, most: number): Result<StoreQuery, string> {
  const filters: StoreFilter[] = []
  for (const [field, value] of Object.entries(asked.filter ?? {})) {
    if (!Object.hasOwn(store.entity.schema, field)) return err(unknownField(store, field))
    if (!isObject(value)) {
      filters.push({ field, op: Array.isArray(value) ? 'in' : 'eq', value })
      continue
    }
    for (const [op, operand] of Object.entries(value)) {
      if (!isOperator(op)) return err(`filter.${field}: there is no operator "${op}" (there are: ${OPERATORS.join(', ')})`)
      if (op === 'in' && !Array.isArray(operand)) return err(`filter.${field}.in: must be a list`)
      filters.push({ field, op, value: operand })
    }
  }
  const descending = asked.sort?.startsWith('-') === true
  const sorted = descending ? asked.sort?.slice(1) : asked.sort
  if (sorted !== undefined && sorted !== '' && !Object.hasOwn(store.entity.schema, sorted)) return err(unknownField(store, sorted))
  return ok({
    filters, ...(sorted === undefined || sorted === '' ? {} : { sort: { field: sorted, descending } }),
    limit: Math.min(Math.max(1, asked.limit ?? 20), most), offset: Math.max(0, asked.offset ?? 0),
  })
}

const unknownField = (store: StoreDefinition, field: string): string => `"${field}" is no field of ${store.name} (there are: ${Object.keys(store.entity.schema).join(', ')})`
