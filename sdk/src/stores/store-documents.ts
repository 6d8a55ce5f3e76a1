import { isExact, never, type Json, type JsonObject } from '@amodal/kernel'
import { isList, isNumber, isObject } from '../json.ts'
import { parseDateTime } from '../date-time.ts'
import type { StoreDefinition, StoreField } from '../ports/bundle.ts'
import type { StoreFilter } from '../ports/store-filter.ts'

/** A field of a store, and the names that lead to it. */
export interface StorePlace {
  readonly field: StoreField
  readonly path: readonly string[]
}

/**
 * Finds a field by its name, or by a path into objects.
 *
 * @param name such as `status` or `owner.name`; a field whose own name has dots comes first
 * @example
 * storeField(repairs, 'bicycle.make') // { field: { type: 'string' }, path: ['bicycle', 'make'] }
 */
export function storeField(
  { entity: { schema } }: Pick<StoreDefinition, 'entity'>,
  name: string,
): StorePlace | undefined {
  return placeIn(schema, name)
}

function placeIn(
  fields: Readonly<Record<string, StoreField>>,
  name: string,
): StorePlace | undefined {
  const own = Object.hasOwn(fields, name) ? fields[name] : undefined
  if (own) return { field: own, path: [name] }
  for (const [outer, { type, fields: inner = {} }] of Object.entries(fields)) {
    const place =
      type === 'object' && name.startsWith(`${outer}.`)
        ? placeIn(inner, name.slice(outer.length + 1))
        : undefined
    if (place) return { field: place.field, path: [outer, ...place.path] }
  }
  return undefined
}

/** What a document holds there; `null` where there is nothing. */
export function valueAt(payload: JsonObject, path: readonly string[]): Json {
  let value: Json = payload
  for (const name of path) {
    if (!isObject(value) || !Object.hasOwn(value, name)) return null
    value = value[name] ?? null
  }
  return value
}

/**
 * A value of the field's own type that can be compared; `undefined` for anything else, such as one
 * from before the schema changed.
 */
export function comparable(
  value: Json,
  field: StoreField | undefined,
): number | string | undefined {
  return COMPARABLE[field?.type ?? 'string'](value)
}

const asText = (value: Json): string | undefined => (typeof value === 'string' ? value : undefined)
const COMPARABLE: Readonly<
  Record<StoreField['type'], (value: Json) => number | string | undefined>
> = {
  number: (value) => (isNumber(value) ? Number(value) : undefined),
  boolean: (value) => (typeof value === 'boolean' ? Number(value) : undefined),
  datetime: (value) => (typeof value === 'string' ? parseDateTime(value) : undefined),
  string: asText,
  enum: asText,
  ref: asText,
  array: () => undefined,
  object: () => undefined,
}

/** `-1`, `0` or `1`; numbers as numbers, texts by their characters. */
export function compareValues(a: number | string, b: number | string): number {
  if (a < b) return -1
  return a > b ? 1 : 0
}

/** Whether a document meets a condition of a query, or of a rule of its store. */
export function matchesFilter(
  store: Pick<StoreDefinition, 'entity'>,
  payload: JsonObject,
  { field: name, op, value }: StoreFilter,
): boolean {
  const { field, path = [name] } = storeField(store, name) ?? {}
  const actual = valueAt(payload, path)
  const than = (test: (order: number) => boolean): boolean => {
    const [one, other] = [comparable(actual, field), comparable(value, field)]
    return one !== undefined && other !== undefined && test(compareValues(one, other))
  }
  switch (op) {
    case 'eq':
      return same(actual, value)
    case 'ne':
      return !same(actual, value)
    case 'gt':
      return than((order) => order > 0)
    case 'gte':
      return than((order) => order >= 0)
    case 'lt':
      return than((order) => order < 0)
    case 'lte':
      return than((order) => order <= 0)
    case 'in':
      return isList(value) && value.some((one) => same(actual, one))
    case 'contains':
      return contains(actual, value)
    default:
      return never(op)
  }
}

function contains(actual: Json, value: Json): boolean {
  if (isList(actual)) return actual.some((one) => same(one, value))
  if (typeof actual !== 'string' || typeof value !== 'string') return false
  return actual.toLowerCase().includes(value.toLowerCase())
}

/** Equal as JSON: the order of names does not count. */
function same(a: Json, b: Json): boolean {
  if (isList(a))
    return (
      isList(b) && a.length === b.length && a.every((item, index) => same(item, b[index] ?? null))
    )
  if (isExact(a) || isExact(b)) return isNumber(a) && isNumber(b) && String(a) === String(b)
  if (!isObject(a) || !isObject(b)) return a === b
  const names = Object.keys(a)
  return (
    names.length === Object.keys(b).length &&
    names.every((name) => Object.hasOwn(b, name) && same(a[name] ?? null, b[name] ?? null))
  )
}

/**
 * How long a document is fresh: by the first rule whose conditions all hold, or else by the store's
 * own `ttl`.
 *
 * @returns seconds; `undefined`: for ever
 * @see stores.md, TTL
 */
export function ttlOf(
  store: Pick<StoreDefinition, 'entity' | 'ttl' | 'ttlRules'>,
  payload: JsonObject,
): number | undefined {
  return (
    store.ttlRules?.find(({ when }) =>
      when.every((filter) => matchesFilter(store, payload, filter)),
    )?.ttl ?? store.ttl
  )
}

/**
 * The key of a document by the store's template, such as `{service}:{day}`; `undefined` where a
 * field of it is empty.
 */
export function keyOf(store: StoreDefinition, payload: JsonObject): string | undefined {
  let isComplete = true
  const key = store.entity.key.replaceAll(/\{([^{}]+)\}/g, (_match, name: string) => {
    const value = Object.hasOwn(payload, name) ? payload[name] : undefined
    if (value === undefined || value === null || value === '' || isObject(value) || isList(value))
      isComplete = false
    return typeof value === 'string' ? value : JSON.stringify(value)
  })
  return isComplete && key !== '' ? key : undefined
}
