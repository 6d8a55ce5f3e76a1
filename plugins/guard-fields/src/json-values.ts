import { isList, isObject, type Json, type JsonObject } from '@amodal/sdk'

/** The values of a list or of an object. */
export const innerOf = (value: Json): readonly Json[] => {
  if (isList(value)) return value
  return isObject(value) ? Object.values(value) : []
}

export const isScalar = (value: Json): boolean => !isList(value) && !isObject(value)

/** The same structure with each scalar, and each key of an object, replaced. */
export function mapped(
  value: Json,
  scalar: (value: Json) => Json,
  key: (name: string) => string = (name) => name,
): Json {
  if (isList(value)) return value.map((inner) => mapped(inner, scalar, key))
  if (!isObject(value)) return scalar(value)
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [key(name), mapped(inner, scalar, key)]),
  )
}

/** An object with what is left of each member; `undefined` removes it. */
export const picked = (
  value: JsonObject,
  leftOf: (name: string, inner: Json) => Json | undefined,
): JsonObject =>
  Object.fromEntries(
    Object.entries(value).flatMap(([name, inner]) => {
      const left = leftOf(name, inner)
      return left === undefined ? [] : [[name, left]]
    }),
  )
