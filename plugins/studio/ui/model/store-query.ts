import type { Json, JsonObject } from '@amodal/sdk'
import { isLong, parseExact } from './exact.ts'
import type { Column, Field } from './stores.ts'

export type Operator = 'eq' | 'ne' | 'gt' | 'gte' | 'lt' | 'lte' | 'in' | 'contains'

/** One condition of a filter. */
export interface Condition {
  readonly field: string
  readonly op: Operator
  readonly value: Json
}

/** What the address of a table says. */
export interface TableQuery {
  readonly conditions: readonly Condition[]
  /** A field, with `-` in front for descending; empty: by key. */
  readonly sort: string
  /** Names of the columns that are shown; `undefined`: those that it has at first. */
  readonly columns: readonly string[] | undefined
  /** What is shown in place of the documents. */
  readonly show: 'documents' | 'dead' | 'new'
}

export function tableQuery(query: string): TableQuery {
  const given = new URLSearchParams(query)
  const columns = given.get('columns')
  const show = given.get('show')
  return {
    conditions: conditionsOf(given.get('filter') ?? ''),
    sort: given.get('sort') ?? '',
    columns: columns === null ? undefined : columns.split(',').filter((name) => name !== ''),
    show: show === 'dead' || show === 'new' ? show : 'documents',
  }
}

/** The query of an address for what is shown. */
export function queryText({ conditions, sort, columns, show }: TableQuery): string {
  const query = new URLSearchParams()
  if (conditions.length > 0) query.set('filter', filterText(conditions))
  if (sort !== '') query.set('sort', sort)
  if (columns) query.set('columns', columns.join(','))
  if (show !== 'documents') query.set('show', show)
  return query.toString()
}

/** The filter as the API reads it. */
export function filterText(conditions: readonly Condition[]): string {
  const filter: Record<string, Record<string, Json>> = {}
  for (const { field, op, value } of conditions) (filter[field] ??= {})[op] = value
  return JSON.stringify(
    Object.fromEntries(
      Object.entries(filter).map(([field, operands]) => [field, shortest(operands)]),
    ),
  )
}

/** `{"in": ["P1"]}` is `["P1"]`, and `{"eq": 1}` is `1`. */
function shortest(operands: Readonly<Record<string, Json>>): Json {
  const [[op, value] = [], ...others] = Object.entries(operands)
  if (value === undefined || others.length > 0) return operands
  const isPlain = typeof value !== 'object' || value === null || isLong(value)
  return (op === 'eq' && isPlain) || op === 'in' ? value : operands
}

/** A filter that somebody wrote by hand may be none: then there are no conditions. */
function conditionsOf(text: string): readonly Condition[] {
  let filter: unknown
  try {
    filter = parseExact(text === '' ? '{}' : text)
  } catch {
    return []
  }
  if (typeof filter !== 'object' || filter === null || Array.isArray(filter)) return []
  return Object.entries(filter as JsonObject).flatMap(([field, value]): readonly Condition[] => {
    if (Array.isArray(value)) return [{ field, op: 'in', value: value as Json }]
    if (typeof value !== 'object' || value === null || isLong(value))
      return [{ field, op: 'eq', value }]
    return Object.entries(value).map(([op, operand]) => ({
      field,
      op: op as Operator, // the API names those that there are
      value: operand as Json,
    }))
  })
}

/** A way to compare that the editor offers; `operand` says whether there is something to type. */
export interface Comparison {
  readonly key: string
  readonly label: string
  readonly op: Operator
  readonly operand: 'one' | 'many' | 'none'
}

const one = (key: Operator, label: string): Comparison => ({ key, label, op: key, operand: 'one' })
const EMPTY: readonly Comparison[] = [
  { key: 'empty', label: 'is empty', op: 'eq', operand: 'none' },
  { key: 'set', label: 'is not empty', op: 'ne', operand: 'none' },
]
const EQUALITY = [one('eq', 'is'), one('ne', 'is not')]

/** What the API compares a field with. */
export function comparisonsOf({ type, nullable }: Field): readonly Comparison[] {
  const empty = nullable === true ? EMPTY : []
  switch (type) {
    case 'string':
    case 'ref':
      return [one('contains', 'contains'), ...EQUALITY, ...empty]
    case 'enum':
      return [{ key: 'in', label: 'is one of', op: 'in', operand: 'many' }, ...empty]
    case 'boolean':
      return [one('eq', 'is'), ...empty]
    case 'number':
      return [
        one('gte', 'is at least'),
        one('lte', 'is at most'),
        ...EQUALITY,
        one('gt', 'is more than'),
        one('lt', 'is less than'),
        ...empty,
      ]
    case 'datetime':
      return [one('gte', 'is from'), one('lt', 'is before'), ...empty]
    case 'array':
      return [one('contains', 'contains'), ...empty]
    case 'object':
      return empty
    default:
      return type satisfies never
  }
}

export const isFilterable = ({ field }: Column): boolean => comparisonsOf(field).length > 0
export const isSortable = ({ field: { type } }: Column): boolean =>
  type !== 'array' && type !== 'object'

/** The comparison that a condition of a field is. */
export const comparisonOf = (field: Field, { op, value }: Condition): Comparison | undefined =>
  comparisonsOf(field).find(
    (comparison) => comparison.op === op && (comparison.operand === 'none') === (value === null),
  )

/** `Severity is one of P1, P2`. */
export function conditionText(condition: Condition, field: Field | undefined): string {
  const comparison = field && comparisonOf(field, condition)
  const { op, value } = condition
  if (comparison?.operand === 'none') return comparison.label
  return `${comparison?.label ?? op} ${operandText(value, field)}`
}

function operandText(value: Json, field: Field | undefined): string {
  if (Array.isArray(value)) return value.map((each: Json) => operandText(each, field)).join(', ')
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (typeof value !== 'string') return JSON.stringify(value)
  if (field?.type !== 'datetime') return value
  const at = new Date(value)
  return Number.isNaN(at.getTime()) ? value : at.toLocaleString()
}
