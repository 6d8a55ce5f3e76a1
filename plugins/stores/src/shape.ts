import {
  isList,
  isObject,
  type Json,
  type JsonObject,
  parseDateTime,
  never,
  type StoreDefinition,
  type StoreField,
} from '@amodal/sdk'
import { isNumber, isStorable, NOT_STORABLE } from '@amodal/sdk/data'
import { keyOf, storeTools } from '@amodal/sdk/stores'

type Fields = Readonly<Record<string, StoreField>>

/** The tool that writes one document. */
export const toolName = ({ name }: StoreDefinition): string => storeTools(name).one
/** The tool that writes several. */
export const batchName = ({ name }: StoreDefinition): string => storeTools(name).batch

type ObjectSchema = {
  readonly type: 'object'
  readonly properties: JsonObject
  readonly required: readonly string[]
  readonly additionalProperties: false
}

/** The JSON Schema of a store's documents. */
export const schemaOf = (store: StoreDefinition): ObjectSchema => objectSchema(store.entity.schema)

function objectSchema(fields: Fields): ObjectSchema {
  return {
    type: 'object',
    properties: Object.fromEntries(
      Object.entries(fields).map(([name, field]) => [name, fieldSchema(field)]),
    ),
    required: Object.entries(fields)
      .filter(([, field]) => field.nullable !== true)
      .map(([name]) => name),
    additionalProperties: false,
  }
}

function fieldSchema(field: StoreField): JsonObject {
  const { type, ...rest } = plainSchema(field)
  const { enum: values } = rest
  return {
    ...rest,
    ...(type !== undefined && { type: field.nullable === true ? [type, 'null'] : type }),
    ...(field.nullable === true && isList(values) && { enum: [...values, null] }),
    ...(field.description !== undefined && { description: field.description }),
  }
}

function plainSchema(field: StoreField): JsonObject {
  switch (field.type) {
    case 'string':
      return { type: 'string' }
    case 'number':
      return {
        type: 'number',
        ...(field.min !== undefined && { minimum: field.min }),
        ...(field.max !== undefined && { maximum: field.max }),
      }
    case 'boolean':
      return { type: 'boolean' }
    case 'datetime':
      return { type: 'string', format: 'date-time' }
    case 'enum':
      return { type: 'string', enum: [...(field.values ?? [])] }
    case 'array':
      return { type: 'array', items: field.item ? fieldSchema(field.item) : {} }
    case 'object':
      return objectSchema(field.fields ?? {})
    case 'ref':
      return {
        type: 'string',
        description: `key of a document in ${field.store ?? 'another store'}`,
      }
    default:
      return never(field.type)
  }
}

/** What is wrong with a document, each with the path of its field. Empty: it may be stored. */
export function misfits(store: StoreDefinition, payload: JsonObject): readonly string[] {
  if (!isStorable(payload)) return [NOT_STORABLE]
  const found = objectMisfits(store.entity.schema, payload, '')
  if (found.length > 0) return found
  const key = keyOf(store, payload)
  if (key === undefined)
    return [`the key ${store.entity.key} cannot be made: a field that it names is empty`]
  return key.length > LONGEST_KEY
    ? [
        `the key ${store.entity.key} is ${key.length} characters long, and ${LONGEST_KEY} is the most`,
      ]
    : []
}

/** What an index of a database can hold, whatever the characters. */
const LONGEST_KEY = 500

function objectMisfits(fields: Fields, value: JsonObject, path: string): readonly string[] {
  const at = (name: string): string => (path === '' ? name : `${path}.${name}`)
  const known = Object.keys(fields)
  return [
    ...Object.keys(value)
      .filter((name) => !known.includes(name))
      .map((name) => `${at(name)}: is no field here (there are: ${known.join(', ')})`),
    ...Object.entries(fields).flatMap(([name, field]) =>
      fieldMisfits(field, Object.hasOwn(value, name) ? value[name] : undefined, at(name)),
    ),
  ]
}

function fieldMisfits(field: StoreField, value: Json | undefined, path: string): readonly string[] {
  if (value === undefined || value === null)
    return field.nullable === true
      ? []
      : [`${path}: ${value === null ? 'must not be null' : 'is missing'}`]
  const { min, max, item } = field
  switch (field.type) {
    case 'number': {
      const misfit = valueMisfit(field, value, path)
      if (misfit !== undefined) return [misfit]
      if (min !== undefined && Number(value) < min) return [`${path}: must be at least ${min}`]
      return max !== undefined && Number(value) > max ? [`${path}: must be at most ${max}`] : []
    }
    case 'array':
      if (!isList(value)) return [`${path}: must be a list`]
      return item ? value.flatMap((one, index) => fieldMisfits(item, one, `${path}[${index}]`)) : []
    case 'object':
      return isObject(value)
        ? objectMisfits(field.fields ?? {}, value, path)
        : [`${path}: must be an object`]
    case 'string':
    case 'boolean':
    case 'datetime':
    case 'enum':
    case 'ref': {
      const misfit = valueMisfit(field, value, path)
      return misfit === undefined ? [] : [misfit]
    }
    default:
      return never(field.type)
  }
}

/**
 * Why a value cannot be one of this field, its limits aside; lists and objects are not looked into.
 */
export function valueMisfit(field: StoreField, value: Json, path: string): string | undefined {
  const unless = (fits: boolean, must: string): string | undefined =>
    fits ? undefined : `${path}: must be ${must}`
  switch (field.type) {
    case 'string':
    case 'ref':
      return unless(typeof value === 'string', 'a text')
    case 'number':
      return unless(isNumber(value) && Number.isFinite(Number(value)), 'a number')
    case 'boolean':
      return unless(typeof value === 'boolean', 'true or false')
    case 'datetime':
      return unless(
        typeof value === 'string' && parseDateTime(value) !== undefined,
        'a date and time in ISO 8601, such as 2026-01-31T09:30:00Z',
      )
    case 'enum':
      return unless(
        typeof value === 'string' && field.values?.includes(value) === true,
        `one of ${field.values?.join(', ') ?? ''}`,
      )
    case 'array':
      return unless(isList(value), 'a list')
    case 'object':
      return unless(isObject(value), 'an object')
    default:
      return never(field.type)
  }
}
