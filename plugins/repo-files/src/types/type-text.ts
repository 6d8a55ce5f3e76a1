import { isList, isObject, never, type Json, type JsonObject, type StoreField } from '@amodal/sdk'

/** How deep a schema is written out; further down, anything goes. */
const DEEPEST = 12
/** As a tool says nothing of a value, it may be any. */
const ANY = 'unknown'

export const propertyName = (name: string): string =>
  /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name)
const inList = (type: string): string =>
  /[ |&]/.test(type) && !type.startsWith('{') ? `(${type})` : type
const indent = (depth: number): string => '  '.repeat(depth)

interface Member {
  readonly name: string
  readonly type: string
  readonly optional: boolean
}

function objectType(members: readonly Member[], depth: number): string {
  if (members.length === 0) return '{}'
  return `{\n${members.map(({ name, type, optional }) => `${indent(depth + 1)}readonly ${propertyName(name)}${optional ? '?' : ''}: ${type}`).join('\n')}\n${indent(depth)}}`
}

/** The type of documents with these fields. */
export function fieldsType(fields: Readonly<Record<string, StoreField>>, depth = 0): string {
  return objectType(
    Object.entries(fields).map(([name, field]) => ({
      name,
      type: `${fieldType(field, depth + 1)}${field.nullable === true ? ' | null' : ''}`,
      optional: field.nullable === true,
    })),
    depth,
  )
}

function fieldType(field: StoreField, depth: number): string {
  switch (field.type) {
    case 'string':
    case 'datetime':
    case 'ref':
      return 'string'
    case 'number':
      return 'number'
    case 'boolean':
      return 'boolean'
    case 'enum':
      return field.values?.map((value) => JSON.stringify(value)).join(' | ') ?? 'string'
    case 'array':
      return field.item ? `readonly ${inList(fieldType(field.item, depth))}[]` : `readonly ${ANY}[]`
    case 'object':
      return field.fields ? fieldsType(field.fields, depth) : `{ readonly [name: string]: ${ANY} }`
    default:
      return never(field.type)
  }
}

/**
 * The type of what fits a JSON Schema; where that says more than a type can, the nearest that takes
 * all of it.
 */
export function schemaType(schema: Json | undefined, depth = 0): string {
  if (!isObject(schema) || depth > DEEPEST) return ANY
  const { type, enum: values, const: only, anyOf, oneOf, allOf } = schema
  if (only !== undefined) return literal(only)
  if (isList(values)) return either(values.map(literal))
  const choices = [anyOf, oneOf].find(isList)
  if (choices) return either(choices.map((one) => schemaType(one, depth)))
  if (isList(allOf)) return allOf.map((one) => inList(schemaType(one, depth))).join(' & ') || ANY
  return isList(type)
    ? either(type.map((one) => plainType(one, schema, depth)))
    : plainType(type, schema, depth)
}

function plainType(type: Json | undefined, schema: JsonObject, depth: number): string {
  switch (type) {
    case 'string':
    case 'boolean':
    case 'null':
      return type
    case 'number':
    case 'integer':
      return 'number'
    case 'array':
      return `readonly ${inList(schemaType(schema['items'], depth))}[]`
    case 'object':
      return propertiesType(schema, depth)
    default:
      return isObject(schema['properties']) ? propertiesType(schema, depth) : ANY
  }
}

function propertiesType(
  { properties, required, additionalProperties }: JsonObject,
  depth: number,
): string {
  if (!isObject(properties) || Object.keys(properties).length === 0) {
    return additionalProperties === false
      ? '{}'
      : `{ readonly [name: string]: ${schemaType(additionalProperties, depth)} }`
  }
  const needed = new Set(isList(required) ? required : [])
  return objectType(
    Object.entries(properties).map(([name, inner]: [string, Json]) => ({
      name,
      type: schemaType(inner, depth + 1),
      optional: !needed.has(name),
    })),
    depth,
  )
}

const literal = (value: Json): string =>
  typeof value === 'object' && value !== null ? ANY : JSON.stringify(value)
const either = (types: readonly string[]): string => [...new Set(types)].join(' | ') || 'never'
