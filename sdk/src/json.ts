import type { Json, JsonObject } from '@amodal/kernel'

export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !isList(value)
}

export function isList(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value)
}

/**
 * A value with every text in it changed, at any depth; the same value where nothing changes, so
 * that most cost no copy.
 *
 * @param names the names of fields are changed too
 * @example mapTexts({ a: ['x', 1] }, (text) => text.toUpperCase()) // { a: ['X', 1] }
 */
export function mapTexts(
  value: JsonObject,
  change: (text: string) => string,
  names?: boolean,
): JsonObject
export function mapTexts(value: Json, change: (text: string) => string, names?: boolean): Json
export function mapTexts(value: Json, change: (text: string) => string, names = false): Json {
  if (typeof value === 'string') return change(value)
  if (isList(value)) {
    const items = value.map((item) => mapTexts(item, change, names))
    return items.some((item, at) => item !== value[at]) ? items : value
  }
  return isObject(value) ? mapFields(value, change, names) : value
}

function mapFields(value: JsonObject, change: (text: string) => string, names: boolean): Json {
  const renamed = names && Object.keys(value).some((name) => change(name) !== name)
  const named = renamed
    ? Object.fromEntries(Object.entries(value).map(([name, inner]) => [change(name), inner]))
    : value
  let copy: Record<string, Json> | undefined
  for (const name of Object.keys(named)) {
    const inner = named[name]
    if (inner === undefined) continue
    const other = mapTexts(inner, change, names)
    if (other !== inner) (copy ??= { ...named })[name] = other
  }
  return copy ?? named
}
