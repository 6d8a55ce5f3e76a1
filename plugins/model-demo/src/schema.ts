import { isRecord } from './json.ts'

/** A parameter of a tool, as far as a value can be found for it in a message. */
export interface Field {
  readonly name: string
  readonly kind: 'string' | 'number' | 'boolean' | 'array' | 'object' | 'any'
  readonly required: boolean
  readonly integer: boolean
  readonly description: string
  /** The values allowed, where they are listed. */
  readonly values: readonly string[]
  readonly format: string | undefined
  readonly min: number | undefined
  readonly max: number | undefined
  readonly hasDefault: boolean
  /** Of an object. */
  readonly fields: readonly Field[]
  /** Of an array. */
  readonly item: Field | undefined
}

type Schema = Readonly<Record<string, unknown>>

/** Deeper than this no message reaches. */
const MAX_DEPTH = 4

/** The parameters in a JSON Schema of an object. */
export function readFields(schema: unknown): readonly Field[] {
  return isRecord(schema) ? fieldsOf(schema, schema, 0) : []
}

function fieldsOf(schema: Schema, root: Schema, depth: number): readonly Field[] {
  if (!isRecord(schema.properties) || depth > MAX_DEPTH) return []
  const required = Array.isArray(schema.required) ? schema.required : []
  return Object.entries(schema.properties).map(([name, property]) =>
    fieldOf(name, property, required.includes(name), root, depth + 1),
  )
}

function fieldOf(
  name: string,
  property: unknown,
  required: boolean,
  root: Schema,
  depth: number,
): Field {
  const schema = plain(property, root)
  const constant = 'const' in schema ? [schema.const] : []
  const values = (Array.isArray(schema.enum) ? schema.enum : constant).filter(
    (value) => typeof value === 'string',
  )
  const kind = kindOf(schema)
  return {
    name,
    required,
    values,
    kind: kind === 'any' && values.length > 0 ? 'string' : kind,
    integer: typesOf(schema).includes('integer'),
    description: typeof schema.description === 'string' ? schema.description : '',
    format: typeof schema.format === 'string' ? schema.format : undefined,
    min: typeof schema.minimum === 'number' ? schema.minimum : undefined,
    max: typeof schema.maximum === 'number' ? schema.maximum : undefined,
    hasDefault: 'default' in schema,
    fields: fieldsOf(schema, root, depth),
    item:
      kind === 'array' && depth <= MAX_DEPTH
        ? fieldOf(name, schema.items, false, root, depth + 1)
        : undefined,
  }
}

/** Follows a local reference, and takes the first real alternative of a nullable one. */
function plain(property: unknown, root: Schema, hops = 0): Schema {
  if (!isRecord(property) || hops > MAX_DEPTH) return {}
  if (typeof property.$ref === 'string')
    return plain(
      property.$ref
        .split('/')
        .slice(1)
        .reduce<unknown>((at, key) => (isRecord(at) ? at[key] : undefined), root),
      root,
      hops + 1,
    )
  const alternatives = property.anyOf ?? property.oneOf
  if (!Array.isArray(alternatives)) return property
  const real: unknown = alternatives.find((one) => isRecord(one) && one.type !== 'null')
  return {
    ...plain(real, root, hops + 1),
    ...(typeof property.description === 'string' ? { description: property.description } : {}),
  }
}

function typesOf(schema: Schema): readonly unknown[] {
  return Array.isArray(schema.type) ? schema.type : [schema.type]
}

function kindOf(schema: Schema): Field['kind'] {
  const types = typesOf(schema)
  if (types.includes('string')) return 'string'
  if (types.includes('number') || types.includes('integer')) return 'number'
  if (types.includes('boolean')) return 'boolean'
  if (types.includes('array')) return 'array'
  return types.includes('object') || isRecord(schema.properties) ? 'object' : 'any'
}
