import { isList, isObject, type Json, type JsonObject } from '@amodal/sdk'
import { ellipsis } from '@amodal/sdk/data'

const MOST_CHARS = 700
const MOST_LEVELS = 4
const MOST_FIELDS = 40

/** Finds what `#/components/schemas/Deal` means. */
export type Resolve = (value: Json | undefined) => JsonObject | undefined

/**
 * A JSON Schema in a few words, as a model reads it: `{ name: string, amount?: number, stage?:
 * "open" | "won" }`.
 */
export function schemaText(schema: Json | undefined, resolve: Resolve): string {
  const text = typeText(schema, resolve, 0, [])
  return ellipsis(text, MOST_CHARS)
}

function typeText(
  given: Json | undefined,
  resolve: Resolve,
  level: number,
  above: readonly JsonObject[],
): string {
  const schema = resolve(given)
  if (!schema) return 'any'
  if (above.includes(schema) || level > MOST_LEVELS) return nameOf(given) ?? 'object'
  const inner = (value: Json | undefined): string =>
    typeText(value, resolve, level + 1, [...above, schema])
  const { enum: values, allOf, oneOf, anyOf, items, properties, additionalProperties } = schema
  if (isList(values))
    return (
      values
        .slice(0, 12)
        .map((value) => JSON.stringify(value))
        .join(' | ') + (values.length > 12 ? ' | …' : '')
    )
  if (schema['const'] !== undefined) return JSON.stringify(schema['const'])
  if (isList(allOf))
    return typeText(merged(allOf, schema, resolve), resolve, level, [...above, schema])
  const either = [oneOf, anyOf].find(isList)
  if (either) return [...new Set(either.map(inner))].slice(0, 5).join(' | ')
  const types = (isList(schema['type']) ? schema['type'] : [schema['type']]).filter(
    (type) => typeof type === 'string',
  )
  const type = types.filter((one) => one !== 'null').join(' | ')
  if (type === 'array' || items !== undefined) return listText(inner(items))
  if (isObject(properties)) return objectText(properties, schema['required'], inner)
  if (type === 'object' && isObject(additionalProperties))
    return `{ [name]: ${inner(additionalProperties)} }`
  const format =
    typeof schema['format'] === 'string' && !/^(int32|int64|float|double)$/.test(schema['format'])
      ? ` (${schema['format']})`
      : ''
  return `${type === '' ? 'any' : type}${format}`
}

const listText = (item: string): string => (/^[^{]* \| /.test(item) ? `(${item})[]` : `${item}[]`)

function objectText(
  properties: JsonObject,
  required: Json | undefined,
  inner: (value: Json | undefined) => string,
): string {
  const needed = isList(required) ? required : []
  const names = Object.keys(properties)
  // What is needed first: a long schema is cut at its end.
  const sorted = [
    ...names.filter((name) => needed.includes(name)),
    ...names.filter((name) => !needed.includes(name)),
  ]
  const fields = sorted
    .slice(0, MOST_FIELDS)
    .map((name) => `${name}${needed.includes(name) ? '' : '?'}: ${inner(properties[name])}`)
  return fields.length === 0
    ? 'object'
    : `{ ${fields.join(', ')}${names.length > MOST_FIELDS ? ', …' : ''} }`
}

/** `allOf` as one object. */
function merged(parts: readonly Json[], own: JsonObject, resolve: Resolve): JsonObject {
  const { allOf: _, ...rest } = own
  const all = [...parts.map((part) => resolve(part) ?? {}), rest]
  // merged from objects
  const properties = Object.assign({}, ...all.map((part) => part['properties'] ?? {})) as JsonObject
  const required = all.flatMap((part) => (isList(part['required']) ? part['required'] : []))
  const [only] = all
  return Object.keys(properties).length === 0 && all.length === 2 && only
    ? { ...only, ...rest }
    : { type: 'object', properties, required }
}

const nameOf = (value: Json | undefined): string | undefined => {
  const ref = isObject(value) ? value['$ref'] : undefined
  return typeof ref === 'string' ? ref.split('/').at(-1) : undefined
}
