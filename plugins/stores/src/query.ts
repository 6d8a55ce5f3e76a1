import {
  err,
  isList,
  isObject,
  type Json,
  type JsonObject,
  ok,
  type Result,
  type StoreDefinition,
  type StoreField,
  type StoreFilter,
  type StoreQuery,
} from '@amodal/sdk'
import { isStorable, NOT_STORABLE } from '@amodal/sdk/data'
import { storeField } from '@amodal/sdk/stores'
import { valueMisfit } from './shape.ts'

const OPERATORS = ['eq', 'ne', 'gt', 'gte', 'lt', 'lte', 'in', 'contains'] as const
type Operator = (typeof OPERATORS)[number]
const isOperator = (name: string): name is Operator => OPERATORS.some((one) => one === name)

export interface AskedQuery {
  readonly filter?: JsonObject | undefined
  readonly sort?: string | undefined
  readonly limit?: number | undefined
  readonly offset?: number | undefined
}

/**
 * Reads a query as tools and the API take it: `{"status": "open", "score": {"gte": 5}}`, sort
 * `-opened_at`. A field the store does not have, and a value it cannot have, is an error and never
 * an empty result.
 *
 * @param most documents that are given at most
 */
export function readQuery(
  store: StoreDefinition,
  asked: AskedQuery,
  most: number,
): Result<StoreQuery, string> {
  if (!isStorable(asked.filter ?? {})) return err(`filter: ${NOT_STORABLE}`)
  const filters: StoreFilter[] = []
  for (const [name, value] of Object.entries(asked.filter ?? {})) {
    const field = fieldOf(store, name)
    if (!field) return err(unknownField(store, name))
    const conditions: readonly (readonly [string, Json])[] = isObject(value)
      ? Object.entries(value)
      : [[isList(value) ? 'in' : 'eq', value]]
    for (const [op, operand] of conditions) {
      if (!isOperator(op))
        return err(
          `filter.${name}: there is no operator "${op}" (there are: ${OPERATORS.join(', ')})`,
        )
      const misfit = operandMisfit(field, op, operand, `filter.${name}`)
      if (misfit !== undefined) return err(misfit)
      filters.push({ field: name, op, value: operand })
    }
  }
  const { sort = '', limit = 20, offset = 0 } = asked
  const descending = sort.startsWith('-')
  const sorted = descending ? sort.slice(1) : sort
  const sortField = sorted === '' ? undefined : fieldOf(store, sorted)
  if (sorted !== '' && !sortField) return err(unknownField(store, sorted))
  if (sortField?.type === 'array' || sortField?.type === 'object')
    return err(`sort: a whole ${sortField.type} is neither more nor less than another`)
  return ok({
    filters,
    ...(sorted !== '' && { sort: { field: sorted, descending } }),
    limit: Math.min(Math.max(1, limit), most),
    offset: Math.max(0, offset),
  })
}

const fieldOf = (store: StoreDefinition, name: string): StoreField | undefined =>
  storeField(store, name)?.field
const unknownField = (store: StoreDefinition, field: string): string =>
  `"${field}" is no field of ${store.name} (there are: ${Object.keys(store.entity.schema).join(', ')})`

function operandMisfit(
  field: StoreField,
  op: Operator,
  operand: Json,
  path: string,
): string | undefined {
  const one = (value: Json): string | undefined =>
    value === null ? undefined : valueMisfit(field, value, path)
  switch (op) {
    case 'eq':
    case 'ne':
      return one(operand)
    case 'in':
      return isList(operand)
        ? operand.map(one).find((misfit) => misfit !== undefined)
        : `${path}.in: must be a list`
    case 'gt':
    case 'gte':
    case 'lt':
    case 'lte':
      if (field.type === 'array' || field.type === 'object')
        return `${path}: a whole ${field.type} is neither more nor less than another`
      return valueMisfit(field, operand, path)
    case 'contains':
      if (field.type === 'array')
        return field.item ? valueMisfit(field.item, operand, path) : undefined
      if (field.type === 'string' || field.type === 'ref' || field.type === 'enum')
        return typeof operand === 'string' ? undefined : `${path}.contains: must be a text`
      return `${path}: contains works on texts and lists`
  }
}
