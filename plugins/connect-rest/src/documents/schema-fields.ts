import { isList, isObject, type Json, type JsonObject } from '@amodal/sdk'
import type { Resolve } from './schema-text.ts'

/** A document with more of them is kept without: checking names is not worth megabytes. */
const MOST_SCHEMAS = 3_000
const MOST_LEVELS = 8

/**
 * The names of the fields of each schema of an OpenAPI document that has a name. A schema that lets
 * fields through which it does not name is left out, since nobody can say what it has.
 *
 * @returns `undefined` where the document names none
 */
export function schemaFields(
  document: JsonObject,
  resolve: Resolve,
): Readonly<Record<string, readonly string[]>> | undefined {
  const { components, definitions } = document
  const schemas = isObject(components) ? components['schemas'] : definitions
  if (!isObject(schemas)) return undefined
  const names = Object.keys(schemas)
  if (names.length > MOST_SCHEMAS) return undefined
  const found = names.flatMap((name) => {
    const fields = fieldsOf(schemas[name], resolve, 0)
    return fields && fields.length > 0 ? [[name, [...new Set(fields)]] as const] : []
  })
  return found.length === 0 ? undefined : Object.fromEntries(found)
}

/** `undefined`: it may have others, too. */
function fieldsOf(
  given: Json | undefined,
  resolve: Resolve,
  level: number,
): readonly string[] | undefined {
  const schema = level > MOST_LEVELS ? undefined : resolve(given)
  if (!schema) return undefined
  const { additionalProperties, allOf, anyOf, oneOf, patternProperties, properties } = schema
  if (additionalProperties === true || isObject(additionalProperties) || patternProperties)
    return undefined
  const own = isObject(properties) ? Object.keys(properties) : []
  const parts = [allOf, anyOf, oneOf].flatMap((list) => (isList(list) ? list : []))
  const inner = parts.map((part) => fieldsOf(part, resolve, level + 1))
  if (inner.some((fields) => fields === undefined)) return undefined
  const all = [...own, ...inner.flatMap((fields) => fields ?? [])]
  return level > 0 || all.length > 0 ? all : undefined
}
