import { type Json, type JsonObject, type StoreDefinition, type StoreField } from '@amodal/sdk'

/** Tool names use `_`, store names `-`. */
export const toolName = (store: StoreDefinition): string => `store_${store.name.replaceAll('-', '_')}`

/** The JSON Schema of a store's documents. */
export function schemaOf(store: StoreDefinition): JsonObject {
  return objectSchema(store.entity.schema)
}

function objectSchema(fields: Readonly<Record<string, StoreField>>): JsonObject {
  return {
    type: 'object',
    properties: Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, fieldSchema(field)])),
    required: Object.entries(fields).filter(([, field]) => field.nullable !== true).map(([name]) => name),
    additionalProperties: false,
  }
}

function fieldSchema(field: StoreField): JsonObject {
  const base = plainSchema(field)
  const described = field.description === undefined ? base : { ...base, description: field.description }
  if (field.nullable !== true) return described
  return Array.isArray(base['enum']) ? { ...described, enum: [...base['enum'], null] } : { ...described, type: [base['type'] ?? 'string', 'null'] }
}

function plainSchema(field: StoreField): JsonObject {
  switch (field.type) {
    case 'string': return { type: 'string' }
    case 'number': return { type: 'number', ...(field.min === undefined ? {} : { minimum: field.min }), ...(field.max === undefined ? {} : { maximum: field.max }) }
    case 'boolean': return { type: 'boolean' }
    case 'datetime': return { type: 'string', format: 'date-time' }
    case 'enum': return { type: 'string', enum: [...field.values ?? []] }
    case 'array': return { type: 'array', items: field.item ? fieldSchema(field.item) : {} }
    case 'object': return objectSchema(field.fields ?? {})
    case 'ref': return { type: 'string', description: `key of a document in ${field.store ?? 'another store'}` }
  }
}

/** What is wrong with a document, by the path of the field. Empty: it may be stored. */
export function misfits(store: StoreDefinition, payload: JsonObject): readonly string[] {
  return objectMisfits(store.entity.schema, payload, '')
}

function objectMisfits(fields: Readonly<Record<string, StoreField>>, value: JsonObject, path: string): readonly string[] {
  const at = (name: string): string => (path === '' ? name : `${path}.${name}`)
  return [
    ...Object.keys(value).filter((name) => !Object.hasOwn(fields, name)).map((name) => `${at(name)}: is no field of this store (there are: ${Object.keys(fields).join(', ')})`),
    ...Object.entries(fields).flatMap(([name, field]) => fieldMisfits(field, value[name], at(name))),
  ]
}

const isObject = (value: Json): value is JsonObject => typeof value === 'object' && value !== null && !Array.isArray(value)
const isList = (value: Json): value is readonly Json[] => Array.isArray(value)
const DATETIME = /^\d{4}-\d{2}-\d{2}([T ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:?\d{2})?)?$/

function fieldMisfits(field: StoreField, value: Json | undefined, path: string): readonly string[] {
  if (value === undefined || value === null) return field.nullable === true ? [] : [`${path}: is missing`]
  switch (field.type) {
    case 'string': case 'ref':
      return typeof value === 'string' ? [] : [`${path}: must be a text`]
    case 'number':
      if (typeof value !== 'number' || !Number.isFinite(value)) return [`${path}: must be a number`]
      if (field.min !== undefined && value < field.min) return [`${path}: must be at least ${field.min}`]
      return field.max !== undefined && value > field.max ? [`${path}: must be at most ${field.max}`] : []
    case 'boolean':
      return typeof value === 'boolean' ? [] : [`${path}: must be true or false`]
    case 'datetime':
      return typeof value === 'string' && DATETIME.test(value) && !Number.isNaN(Date.parse(value)) ? [] : [`${path}: must be a date and time in ISO 8601, such as 2026-01-31T09:30:00Z`]
    case 'enum':
      return typeof value === 'string' && field.values?.includes(value) ? [] : [`${path}: must be one of ${field.values?.join(', ') ?? ''}`]
    case 'array': {
      if (!isList(value)) return [`${path}: must be a list`]
      const { item } = field
      return item ? value.flatMap((one, index) => fieldMisfits(item, one, `${path}[${index}]`)) : []
    }
    case 'object':
      return isObject(value) ? objectMisfits(field.fields ?? {}, value, path) : [`${path}: must be an object`]
  }
}

/** The key of a document by the store's template, such as `{service}:{day}`. */
export function keyOf(store: StoreDefinition, payload: JsonObject): string | undefined {
  let whole = true
  const key = store.entity.key.replaceAll(/\{([^}]+)\}/g, (_match, name: string) => {
    const value = payload[name]
    if (value === undefined || value === null || value === '' || typeof value === 'object') whole = false
    return String(value)
  })
  return whole && key !== '' ? key : undefined
}
