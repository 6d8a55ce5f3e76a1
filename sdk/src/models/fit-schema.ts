import type { Json, JsonObject } from '@amodal/kernel'
import { isList, isObject } from '../json.ts'
import { flatRoot } from './flat-root.ts'
import type { SchemaRules } from './schema-rules.ts'

/** A schema as a provider takes it. */
export interface FittedSchema {
  /** Nothing where it describes no object. */
  readonly schema: JsonObject | undefined
  /** What the schema cannot say any more, in words for the model. */
  readonly hints: readonly string[]
  /** What is lost, for people. */
  readonly problems: readonly string[]
}

const ONE: ReadonlySet<string> = new Set([
  'items',
  'additionalProperties',
  'not',
  'if',
  'then',
  'else',
  'contains',
  'propertyNames',
  'unevaluatedProperties',
  'unevaluatedItems',
])
const NAMED: ReadonlySet<string> = new Set([
  'properties',
  '$defs',
  'definitions',
  'patternProperties',
  'dependentSchemas',
])
const LISTS: ReadonlySet<string> = new Set(['anyOf', 'oneOf', 'allOf', 'prefixItems'])
/** Of no meaning to a model, and refused by some. */
const DROPPED: ReadonlySet<string> = new Set(['$schema', '$id', '$comment', 'nullable'])
/** Values that are still named in words. */
const NAMED_VALUES = 20

/**
 * A schema of arguments as a provider takes it, with the same meaning as far as the provider can
 * express it: an object with properties at its root, references that lead somewhere, and no keyword
 * that is refused. What is lost of it is checked when the tool is called, against the original.
 */
export function fitSchema(original: JsonObject, rules: SchemaRules): FittedSchema {
  const fitting = new Fitting(original, rules)
  const root = flatRoot(original, (ref) => fitting.target(ref))
  const hints = [...(root?.hints ?? [])]
  const schema = root && fitting.node(root.schema, [])
  return { schema: isObject(schema) ? schema : undefined, hints, problems: [...fitting.problems] }
}

class Fitting {
  readonly problems = new Set<string>()
  readonly #root: JsonObject
  readonly #rules: SchemaRules

  constructor(root: JsonObject, rules: SchemaRules) {
    this.#root = root
    this.#rules = rules
  }

  /** What a reference inside of the schema leads to. */
  target(ref: string): JsonObject | undefined {
    if (!ref.startsWith('#')) return undefined
    let at: Json | undefined = this.#root
    for (const part of ref
      .slice(1)
      .split('/')
      .filter((one) => one !== '')) {
      const key = decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~')
      if (isList(at)) at = at[Number(key)]
      else at = isObject(at) ? at[key] : undefined
    }
    return isObject(at) ? at : undefined
  }

  /** @param refs that lead here */
  node(value: Json | undefined, refs: readonly string[]): Json {
    if (!isObject(value)) return {} // `true`, and what is no schema: anything
    const { $ref: ref } = value
    const own = typeof ref === 'string' ? this.#referred(value, ref, refs) : this.#merged(value)
    if (own === undefined) return {}
    return typeof own['$ref'] === 'string'
      ? own
      : this.#complete(this.#fields(own, typeof ref === 'string' ? [...refs, ref] : refs), own)
  }

  #referred(
    { $ref: _, ...siblings }: JsonObject,
    ref: string,
    refs: readonly string[],
  ): JsonObject | undefined {
    const target = this.target(ref)
    if (!target)
      this.problems.add(`the reference "${ref}" leads nowhere, so that anything is taken there`)
    if (!target) return siblings
    if (!this.#rules.isInlined) return { $ref: ref, ...siblings }
    // One that contains itself is written out once; below that anything is taken, and checked when
    // the tool is called.
    return refs.includes(ref) ? undefined : this.#merged({ ...target, ...siblings })
  }

  /** Without `allOf`, where that is not known. */
  #merged(node: JsonObject): JsonObject {
    if (!isList(node['allOf']) || this.#takes('allOf')) return node
    const flat =
      node['type'] === undefined || node['type'] === 'object'
        ? flatRoot({ type: 'object', ...node }, (ref) => this.target(ref))
        : undefined
    const { allOf, ...rest } = node
    return (
      flat?.schema ?? {
        ...(Object.assign({}, ...(allOf as readonly JsonObject[])) as JsonObject),
        ...rest,
      }
    ) // all of them speak of one value
  }

  #fields(node: JsonObject, refs: readonly string[]): Record<string, Json> {
    const fitted: Record<string, Json> = {}
    for (const [key, value] of Object.entries(node)) {
      if (
        DROPPED.has(key) ||
        value === undefined ||
        this.#isKnownElsewise(key, value, fitted, refs)
      )
        continue
      const isInlined = this.#rules.isInlined && (key === '$defs' || key === 'definitions')
      if (!isInlined && this.#takes(key)) fitted[key] = this.#field(key, value, refs)
    }
    return fitted
  }

  #field(key: string, value: Json, refs: readonly string[]): Json {
    if (NAMED.has(key)) return this.#named(value, refs)
    if (LISTS.has(key))
      return this.#nodes(isList(value) ? value.filter((one) => one !== false) : [], refs)
    const isNode = ONE.has(key) && (typeof value !== 'boolean' || key === 'items')
    return isNode ? this.node(value, refs) : value
  }

  #nodes(values: readonly Json[], refs: readonly string[]): readonly Json[] {
    return values.map((one) => this.node(one, refs))
  }

  #named(value: Json, refs: readonly string[]): Json {
    return isObject(value)
      ? Object.fromEntries(
          Object.entries(value).flatMap(([name, one]) =>
            one === false ? [] : [[name, this.node(one, refs)]],
          ),
        )
      : {}
  }

  /** Keywords that are written in another way, here or in older drafts. */
  #isKnownElsewise(
    key: string,
    value: Json,
    fitted: Record<string, Json>,
    refs: readonly string[],
  ): boolean {
    switch (key) {
      case 'required':
        if (isList(value)) fitted['required'] = value.filter((one) => typeof one === 'string')
        return true
      case 'items':
        if (!isList(value)) return false
        fitted['items'] = { anyOf: this.#nodes(value, refs) } // a tuple, as older drafts have it
        return true
      case 'exclusiveMinimum':
      case 'exclusiveMaximum':
        // In draft 4 it is a boolean that modifies `minimum` or `maximum`.
        return typeof value === 'boolean'
      case 'const':
        if (this.#takes('const')) return false
        fitted['enum'] = [value]
        return true
      case 'oneOf':
        if (this.#takes('oneOf') || !isList(value)) return false
        fitted['anyOf'] = this.#nodes(value, refs)
        return true
      default:
        return this.#isDescribed(key, value, fitted)
    }
  }

  /** Keywords that are described in words. */
  #isDescribed(key: string, value: Json, fitted: Record<string, Json>): boolean {
    if (key === 'enum') return this.#isTooMuch(value, fitted)
    if (typeof value !== 'string') return false
    if (key === 'format' && this.#rules.formats?.has(value) === false) {
      describe(fitted, `Format: ${value}.`)
      return true
    }
    if (key !== 'description' || typeof fitted['description'] !== 'string') return false
    fitted['description'] = `${value} ${fitted['description']}`
    return true
  }

  #isTooMuch(value: Json, fitted: Record<string, Json>): boolean {
    if (!isList(value) || value.length <= this.#rules.mostValues) return false
    this.problems.add(
      `a list of ${value.length} values is longer than the ${this.#rules.mostValues} that are taken, and is only described`,
    )
    describe(
      fitted,
      `One of ${value.length} values, such as ${value
        .slice(0, NAMED_VALUES)
        .map((one) => JSON.stringify(one))
        .join(', ')}.`,
    )
    return true
  }

  #complete(fitted: Record<string, Json>, given: JsonObject): JsonObject {
    const { type } = fitted
    if (given['nullable'] === true && typeof type === 'string') fitted['type'] = [type, 'null']
    const isOf = (name: string): boolean => type === name || (isList(type) && type.includes(name))
    if (isOf('object') && fitted['properties'] === undefined) fitted['properties'] = {}
    if (isOf('array') && fitted['items'] === undefined && fitted['prefixItems'] === undefined)
      fitted['items'] = {}
    if (this.#rules.keywords && isList(fitted['required']) && isObject(fitted['properties'])) {
      const { properties } = fitted
      fitted['required'] = fitted['required'].filter(
        (name) => typeof name === 'string' && name in properties,
      )
    }
    return fitted
  }

  #takes(key: string): boolean {
    return this.#rules.keywords?.has(key) ?? true
  }
}

function describe(fitted: Record<string, Json>, text: string): void {
  const { description } = fitted
  fitted['description'] = typeof description === 'string' ? `${description} ${text}` : text
}
