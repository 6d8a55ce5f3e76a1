import type { Json, JsonObject } from '@amodal/kernel'
import { isList, isObject } from '../json.ts'

export interface FlatRoot {
  readonly schema: JsonObject
  readonly hints: readonly string[]
}

type Resolve = (ref: string) => JsonObject | undefined
/** References that lead to references, and choices in choices. */
const DEEPEST = 16
/** No provider takes these at the root. */
const CHOICES = [
  '$ref',
  'allOf',
  'anyOf',
  'oneOf',
  'not',
  'enum',
  'const',
  'if',
  'then',
  'else',
  'dependentSchemas',
  'dependentRequired',
]

const CHOICE_WORDS = [
  ['anyOf', 'at least'],
  ['oneOf', 'exactly'],
] as const

/**
 * An object schema without a choice at its root: the properties of all alternatives together, those
 * that all of them need as required, and which belong together in words. `undefined` where it
 * describes no object.
 */
export function flatRoot(schema: JsonObject, resolve: Resolve, depth = 0): FlatRoot | undefined {
  if (depth > DEEPEST || !isObjectType(schema['type'])) return undefined
  const { $ref: ref, ...siblings } = schema
  if (typeof ref === 'string') {
    const target = resolve(ref)
    return target && flatRoot({ ...target, ...siblings }, resolve, depth + 1)
  }
  const rest = Object.fromEntries(Object.entries(schema).filter(([key]) => !CHOICES.includes(key)))
  const root = new Root(schema)
  for (const part of partsOf(schema['allOf'])) {
    const flat = flatRoot(part, resolve, depth + 1)
    if (!flat) return undefined
    root.joinAll(flat)
  }
  for (const [key, howMany] of CHOICE_WORDS) {
    const flat = partsOf(schema[key]).flatMap((part) => flatRoot(part, resolve, depth + 1) ?? [])
    if (isList(schema[key]) && flat.length === 0) return undefined
    root.joinOneOf(flat, howMany)
  }
  // it speaks of the properties of its own part alone
  if (isChoice(schema)) delete rest['additionalProperties']
  return { schema: { ...rest, type: 'object', ...root.fields() }, hints: root.hints }
}

/** The merged properties, and the hints that describe them in words. */
class Root {
  readonly hints: string[] = []
  readonly #required: Set<string>
  #properties: JsonObject

  constructor(schema: JsonObject) {
    this.#properties = isObject(schema['properties']) ? schema['properties'] : {}
    this.#required = new Set(namesIn(schema))
  }

  joinAll({ schema, hints }: FlatRoot): void {
    this.#properties = united(this.#properties, schema, 'allOf')
    for (const name of namesIn(schema)) this.#required.add(name)
    this.hints.push(...hints)
  }

  joinOneOf(alternatives: readonly FlatRoot[], howMany: string): void {
    const [first, ...others] = alternatives.map((one) => new Set(namesIn(one.schema)))
    for (const name of first ?? [])
      if (others.every((names) => names.has(name))) this.#required.add(name)
    let together: JsonObject = {}
    for (const one of alternatives) together = united(together, one.schema, 'anyOf')
    this.#properties = united(this.#properties, { properties: together }, 'allOf')
    if (alternatives.length > 1)
      this.hints.push(
        `Give the arguments of ${howMany} one of these: ${alternatives.map(({ schema }) => shown(schema)).join('; ')}.`,
      )
    this.hints.push(...alternatives.flatMap((one) => one.hints))
  }

  fields(): JsonObject {
    const required = [...this.#required]
    return { properties: this.#properties, ...(required.length > 0 && { required }) }
  }
}

const isChoice = (schema: JsonObject): boolean =>
  ['allOf', 'anyOf', 'oneOf'].some((key) => isList(schema[key]))

const isObjectType = (type: Json | undefined): boolean =>
  type === undefined || type === 'object' || (isList(type) && type.includes('object'))
const partsOf = (parts: Json | undefined): readonly JsonObject[] =>
  isList(parts) ? parts.filter(isObject) : []
const namesIn = ({ required }: JsonObject): readonly string[] =>
  isList(required) ? required.filter((one) => typeof one === 'string') : []

/** Both sets of properties; one that both have has to be as both say, or as one of them. */
function united(one: JsonObject, { properties }: JsonObject, how: 'allOf' | 'anyOf'): JsonObject {
  if (!isObject(properties)) return one
  const both: Record<string, Json> = { ...one }
  for (const [name, schema] of Object.entries(properties)) {
    const known = both[name]
    if (schema === undefined) continue
    if (known === undefined || isEmpty(known)) both[name] = schema
    else if (!isEmpty(schema) && JSON.stringify(known) !== JSON.stringify(schema)) {
      const parts =
        isObject(known) && Object.keys(known).length === 1 && isList(known[how])
          ? known[how]
          : [known]
      if (!parts.some((part) => JSON.stringify(part) === JSON.stringify(schema)))
        both[name] = { [how]: [...parts, schema] }
    }
  }
  return both
}

const isEmpty = (schema: Json): boolean =>
  schema === true || (isObject(schema) && Object.keys(schema).length === 0)

/** `kind "circle", radius`: what an alternative needs, or may have. */
function shown(schema: JsonObject): string {
  const properties = isObject(schema['properties']) ? schema['properties'] : {}
  const names = namesIn(schema).length > 0 ? namesIn(schema) : Object.keys(properties)
  return names
    .map((name) => {
      const property = properties[name]
      const fixed = isObject(property) ? property['const'] : undefined
      return fixed === undefined ? `\`${name}\`` : `\`${name}\` ${JSON.stringify(fixed)}`
    })
    .join(', ')
}
