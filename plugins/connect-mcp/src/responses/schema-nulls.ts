import { isList, isObject, type Json, type JsonObject } from '@amodal/sdk'

/** Keywords whose value is a schema, or a list of them. */
const SCHEMAS: ReadonlySet<string> = new Set([
  'items',
  'prefixItems',
  'contains',
  'additionalProperties',
  'unevaluatedProperties',
  'propertyNames',
  'not',
  'if',
  'then',
  'else',
  'allOf',
  'anyOf',
  'oneOf',
])
/** Keywords whose value is a table of schemas. */
const TABLES: ReadonlySet<string> = new Set([
  'properties',
  'patternProperties',
  'dependentSchemas',
  '$defs',
  'definitions',
])
/** Keywords for which null is a value. */
const VALUES: ReadonlySet<string> = new Set(['default', 'const'])

/**
 * A JSON Schema without keywords that are null: providers refuse such a tool, and the turn with it.
 */
export function withoutNullKeywords(schema: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(schema)
      .filter(([keyword, value]: [string, Json]) => value !== null || VALUES.has(keyword))
      .map(([keyword, value]: [string, Json]) => [keyword, cleanOf(keyword, value)]),
  )
}

function cleanOf(keyword: string, value: Json): Json {
  if (SCHEMAS.has(keyword)) return isList(value) ? value.map(schemaOf) : schemaOf(value)
  if (!TABLES.has(keyword) || !isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, schema]: [string, Json]) => [name, schemaOf(schema ?? {})]),
  )
}

const schemaOf = (value: Json): Json => (isObject(value) ? withoutNullKeywords(value) : value)
