import { isList, isObject, type Json, type JsonObject } from '@amodal/sdk'

/** The types of JSON, with whole numbers apart. */
type Type = 'null' | 'boolean' | 'integer' | 'number' | 'string' | 'array' | 'object'

/** The longest chain of references to follow. */
const MOST_REFERENCES = 20
/** Decimal digits that a number represents exactly. */
const EXACT_DIGITS = 15
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d{1,2})?$/
const ANY: ReadonlySet<Type> = new Set([
  'null',
  'boolean',
  'integer',
  'number',
  'string',
  'array',
  'object',
])

/**
 * Adapts arguments to the parameters of the tool: an optional null is removed, and a quoted number
 * or boolean is unquoted where the schema allows no string. Other errors are left to the tool to
 * report.
 *
 * @returns the arguments themselves where nothing changes
 */
export function fitArguments(parameters: JsonObject, args: JsonObject): JsonObject {
  const fitted = new Fitting(parameters).value(parameters, args)
  return isObject(fitted) ? fitted : args
}

class Fitting {
  readonly #root: JsonObject

  constructor(root: JsonObject) {
    this.#root = root
  }

  value(given: Json | undefined, value: Json): Json {
    const schema = this.#branchFor(this.#resolved(given), value)
    if (schema === undefined) return value
    if (typeof value === 'string') return unquoted(value, this.#types(schema))
    if (isList(value)) return this.#list(schema['items'], value)
    return isObject(value) ? this.#object(schema, value) : value
  }

  #object(schema: JsonObject, value: JsonObject): JsonObject {
    const { properties: given = {}, required: names = [] } = schema
    const properties = isObject(given) ? given : {}
    const required = isList(names) ? names : []
    let isChanged = false
    const entries = Object.entries(value).flatMap(
      ([name, one]: [string, Json]): readonly (readonly [string, Json])[] => {
        const property = Object.hasOwn(properties, name) ? properties[name] : undefined
        if (property === undefined) return [[name, one]]
        const isAbsent =
          one === null &&
          !required.includes(name) &&
          !this.#types(this.#resolved(property)).has('null')
        const fitted = isAbsent ? one : this.value(property, one)
        isChanged ||= isAbsent || fitted !== one
        return isAbsent ? [] : [[name, fitted]]
      },
    )
    return isChanged ? Object.fromEntries(entries) : value
  }

  #list(items: Json | undefined, value: readonly Json[]): readonly Json[] {
    if (items === undefined || !isObject(items)) return value
    const fitted = value.map((one) => this.value(items, one))
    return fitted.some((one, index) => one !== value[index]) ? fitted : value
  }

  /** The only alternative that accepts the type of the value. */
  #branchFor(schema: JsonObject | undefined, value: Json): JsonObject | undefined {
    const branches = schema && branchesOf(schema)
    if (!branches || typeof value !== 'object' || value === null) return schema
    const type = isList(value) ? 'array' : 'object'
    const resolved = branches.map((branch) => this.#resolved(branch))
    const [only, ...others] = resolved.filter((branch) => this.#types(branch).has(type))
    return others.length === 0 ? only : undefined
  }

  /** All types that a schema accepts; every type where it has none. */
  #types(schema: JsonObject | undefined): ReadonlySet<Type> {
    if (!schema) return ANY
    const named = namedTypes(schema)
    const types =
      named.length > 0
        ? named
        : (branchesOf(schema) ?? []).flatMap((branch) => [...this.#types(this.#resolved(branch))])
    if (types.length === 0) return ANY
    return new Set(schema['nullable'] === true ? [...types, 'null' as const] : types)
  }

  /** Resolves references within the parameters. */
  #resolved(given: Json | undefined): JsonObject | undefined {
    let schema = given
    for (let n = 0; n < MOST_REFERENCES; n++) {
      if (schema === undefined || !isObject(schema)) return undefined
      const reference: Json | undefined = schema['$ref']
      if (typeof reference !== 'string') return schema
      schema = this.#at(reference)
    }
    return undefined
  }

  #at(reference: string): Json | undefined {
    if (!reference.startsWith('#')) return undefined
    let found: Json | undefined = this.#root
    for (const part of reference.slice(1).split('/').slice(1)) {
      const name = part.replaceAll('~1', '/').replaceAll('~0', '~')
      found =
        found !== undefined && isObject(found) && Object.hasOwn(found, name)
          ? found[name]
          : undefined
    }
    return found
  }
}

function branchesOf(schema: JsonObject): readonly Json[] | undefined {
  const branches = schema['anyOf'] ?? schema['oneOf'] ?? null
  return isList(branches) ? branches : undefined
}

/** The types that a schema lists by its values or by `type`. */
function namedTypes({ const: value, enum: values, type }: JsonObject): readonly Type[] {
  if (value !== undefined) return [typeOf(value)]
  if (isList(values)) return values.map(typeOf)
  if (isList(type)) return type.filter(isType)
  return type !== undefined && isType(type) ? [type] : []
}

function unquoted(text: string, types: ReadonlySet<Type>): Json {
  if (types.has('string')) return text
  if (types.has('boolean') && (text === 'true' || text === 'false')) return text === 'true'
  const isExact = NUMBER.test(text) && text.replaceAll(/\D/g, '').length <= EXACT_DIGITS
  const number = isExact ? Number(text) : NaN
  const fits = types.has('number') || (types.has('integer') && Number.isInteger(number))
  return isExact && fits ? number : text
}

function typeOf(value: Json): Type {
  if (value === null) return 'null'
  if (isList(value)) return 'array'
  switch (typeof value) {
    case 'boolean':
      return 'boolean'
    case 'number':
      return Number.isInteger(value) ? 'integer' : 'number'
    case 'string':
      return 'string'
    default:
      return 'object'
  }
}

const isType = (value: Json): value is Type =>
  typeof value === 'string' && (ANY as ReadonlySet<string>).has(value)
