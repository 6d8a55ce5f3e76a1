import { isExact, type ExactNumber, type Json, type JsonObject } from '@amodal/kernel'

export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !isList(value) && !isExact(value)
}

/** A number of JSON, also one that only its digits say: `Number(value)` is the nearest double. */
export const isNumber = (value: unknown): value is number | ExactNumber =>
  typeof value === 'number' || isExact(value)

export function isList(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value)
}

/**
 * A copy that shares nothing with the original that can be changed. `structuredClone` would lose
 * what an `ExactNumber` is.
 */
export function copyJson(value: JsonObject): JsonObject
export function copyJson(value: Json): Json
export function copyJson(value: Json): Json {
  if (isList(value)) return value.map((item) => copyJson(item))
  return isObject(value)
    ? Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, copyJson(inner)]))
    : value
}

/**
 * A value for checks that know doubles only: each number that none holds is the nearest double. The
 * same value where there is none.
 */
export function withDoubles(value: JsonObject): JsonObject
export function withDoubles(value: Json): Json
export function withDoubles(value: Json): Json {
  if (isExact(value)) return Number(value)
  if (isList(value)) {
    const items = value.map((item) => withDoubles(item))
    return items.some((item, at) => item !== value[at]) ? items : value
  }
  if (!isObject(value)) return value
  const fields = Object.entries(value).map(([name, inner]) => [name, withDoubles(inner)] as const)
  return fields.some(([name, inner]) => inner !== value[name]) ? Object.fromEntries(fields) : value
}

/** The same for fractions only, which are numbers of something: a whole number may be an id. */
export function withRoundedFractions(value: Json): Json {
  if (isExact(value)) return value.isFraction ? Number(value) : value
  if (isList(value)) return value.map((item) => withRoundedFractions(item))
  return isObject(value)
    ? Object.fromEntries(
        Object.entries(value).map(([name, inner]) => [name, withRoundedFractions(inner)]),
      )
    : value
}

/** What a check has made of {@link withDoubles}, with the digits of the original. */
export function withDigits(checked: JsonObject, original: JsonObject): JsonObject
export function withDigits(checked: Json, original: Json | undefined): Json
export function withDigits(checked: Json, original: Json | undefined): Json {
  if (isExact(original)) return checked === Number(original) ? original : checked
  if (isList(checked) && isList(original))
    return checked.map((item, at) => withDigits(item, original[at]))
  return isObject(checked) && isObject(original)
    ? Object.fromEntries(
        Object.entries(checked).map(([name, inner]) => [
          name,
          withDigits(inner, Object.hasOwn(original, name) ? original[name] : undefined),
        ]),
      )
    : checked
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
