import {
  type GraphqlOperation,
  httpMethodOf,
  type Selection,
} from '@amodal/plugin-connect-rest/tokens'
import {
  type AccessRule,
  type AccessRules,
  type Action,
  isList,
  isObject,
  type Json,
  type JsonObject,
} from '@amodal/sdk'
import { type Allowed, isNamed, allowedPart, type Names, namesOf } from './allowed.ts'
import { picked } from './json-values.ts'
import { operationsOf, rulesFor } from './matching.ts'
import { isNameLike, stemOf, stepsOf } from './names.ts'

const TYPE_NAME = '__typename'
/** `UNAUTHENTICATED`, `constraint-violation`. */
const CODE = /^(?:[A-Z]+(?:_[A-Z]+)*|[a-z]+(?:[-_][a-z]+)+)$/
/** Paths that a key may stand for at once; what stands for more is left out. */
const MOST_PATHS = 16
type Path = readonly string[]

/** The first root field of a request, as a rule names it. */
export const rootOf = (action: Action): string =>
  operationsOf(action).flatMap(({ fields }) => fields)[0] ?? '*'

/**
 * Applies `allow_fields` to the response of a GraphQL request. The caller can rename keys of the
 * response: each is looked up in the request and counts by its name in the schema. Keys that were
 * not requested do not pass.
 */
export class AllowedBySelection implements Allowed {
  readonly anything: boolean
  readonly vouched: boolean
  readonly #operations: readonly GraphqlOperation[]
  readonly #rules: RootRules
  readonly #isReadable: boolean

  constructor(access: AccessRules, action: Action) {
    this.#rules = new RootRules(access, action)
    this.#operations = operationsOf(action)
    // With a document in both, it is unknown which one the server runs.
    const inBoth = action.body !== undefined && action.query['query'] !== undefined
    this.#isReadable = !inBoth && this.#operations.every(({ selection }) => selection !== undefined)
    const rules = this.#operations.flatMap(({ kind, fields }) =>
      fields.filter((name) => name !== TYPE_NAME).map((name) => this.#rules.of(kind, name)),
    )
    this.vouched = this.#isReadable && rules.length > 0 && rules.every(({ length }) => length > 0)
    this.anything = this.vouched && listsOf(rules.flat()).length === 0
  }

  only(value: Json, mark: () => string): Json | undefined {
    if (!this.#rules.areAny) return value
    if (!this.#isReadable) return undefined
    const responses = isList(value) ? value : [value]
    if (responses.length !== this.#operations.length) return undefined
    const left: Json[] = []
    for (const [at, operation] of this.#operations.entries()) {
      const response = responses[at]
      if (!isObject(response)) return undefined
      left.push(this.#response(response, operation, mark))
    }
    return isList(value) ? left : left[0]
  }

  #response(
    response: JsonObject,
    { kind, fields, selection }: GraphqlOperation,
    mark: () => string,
  ): Json {
    const lists = listsOf(fields.flatMap((name) => this.#rules.of(kind, name)))
    return picked(response, (key, value) => {
      if (key === 'data' && isObject(value) && selection) return this.#data(value, kind, selection)
      if (key === 'errors' && isList(value) && selection && lists.length > 0)
        return value.filter(isObject).map((error) => errorOf(error, selection, lists, mark))
      return filtered(value, lists, [stemOf(key)])
    })
  }

  #data(data: JsonObject, kind: GraphqlOperation['kind'], selection: Selection): Json {
    return picked(data, (key, value) => {
      const field = selection.fields.get(key)
      if (!field) return undefined
      const lists = listsOf(field.names.flatMap((name) => this.#rules.of(kind, name)))
      const roots = field.names.map((name) => [stemOf(name)])
      let left: Json | undefined = value
      for (const names of isTypeName(field.names, value) ? [] : lists)
        if (left !== undefined && !areNamed(names, roots))
          left = selected(left, field.below, names, roots)
      return left
    })
  }
}

/** The rules of root fields: a field's own, else those of any field, else those of the endpoint. */
class RootRules {
  readonly #rules: readonly AccessRule[]
  readonly #ofEndpoint: readonly AccessRule[]

  constructor(access: AccessRules, action: Action) {
    const rules = access.rules.filter(({ allowFields }) => allowFields !== undefined)
    this.#rules = rules.filter(({ method }) => method === 'QUERY' || method === 'MUTATION')
    this.#ofEndpoint = rulesFor({ rules }, { ...action, method: httpMethodOf(action) })
  }

  get areAny(): boolean {
    return this.#rules.length > 0 || this.#ofEndpoint.length > 0
  }

  of(kind: GraphqlOperation['kind'], name: string): readonly AccessRule[] {
    const method = kind === 'query' ? 'QUERY' : 'MUTATION'
    const ofKind = this.#rules.filter((rule) => rule.method === method)
    const own = ofKind.filter(({ path }) => path === name)
    if (own.length > 0) return own
    const ofAny = ofKind.filter(({ path }) => path === '*')
    return ofAny.length > 0 ? ofAny : this.#ofEndpoint
  }
}

/** What of rules leaves something out; a field has to be named by each. */
const listsOf = (rules: readonly AccessRule[]): readonly Names[] =>
  rules.flatMap(({ allowFields = [] }) => {
    const names = namesOf(allowFields)
    return names ? [names] : []
  })

const areNamed = (names: Names, paths: readonly Path[]): boolean =>
  paths.every((path) => isNamed(names, path))

const isTypeName = (names: readonly string[], value: Json): boolean =>
  names.every((name) => name === TYPE_NAME) && typeof value === 'string' && isNameLike(value)

/**
 * The named fields of what a selection asked for; `undefined`: nothing of it may pass.
 *
 * @param paths of real names, one for each field that the value may be that of
 */
function selected(
  value: Json,
  selection: Selection,
  names: Names,
  paths: readonly Path[],
): Json | undefined {
  if (value === null) return null
  if (isList(value))
    return value
      .map((inner) => selected(inner, selection, names, paths))
      .filter((left) => left !== undefined)
  if (!isObject(value)) return undefined
  return picked(value, (key, inner) => {
    const field = selection.fields.get(key)
    if (!field || paths.length * field.names.length > MOST_PATHS) return undefined
    const own = paths.flatMap((path) => field.names.map((name) => [...path, stemOf(name)]))
    const passes = areNamed(names, own) || isTypeName(field.names, inner)
    return passes ? inner : selected(inner, field.below, names, own)
  })
}

/** What stands beside the data has its own names. */
function filtered(value: Json, lists: readonly Names[], path: Path): Json | undefined {
  let left: Json | undefined = value
  for (const names of lists)
    if (left !== undefined && !isNamed(names, path)) left = allowedPart(left, names, path)
  return left
}

/**
 * An error of a response: its path, and its code. Its message may quote any value, so it passes
 * where the rules say `errors.message`, and not with fields that are called so.
 */
function errorOf(
  error: JsonObject,
  selection: Selection,
  lists: readonly Names[],
  mark: () => string,
): Json {
  return picked(error, (key, value) => {
    switch (key) {
      case 'message':
        return lists.every(namesMessages) ? value : mark()
      case 'path':
        return isList(value) && isAsked(value, selection) ? value : undefined
      default:
        return withCode(value, filtered(value, lists, ['error', stemOf(key)]))
    }
  })
}

const MESSAGES = stepsOf('errors.message').join('.')
const namesMessages = (names: Names): boolean => names.some((steps) => steps.join('.') === MESSAGES)

/** What is left of `extensions`, with the code of the error. */
function withCode(value: Json, left: Json | undefined): Json | undefined {
  if (!isObject(value) || !isObject(left)) return left
  const { code } = value
  return typeof code === 'string' && CODE.test(code) ? { ...left, code } : left
}

/** Keys of the response that the request has asked for, and places in lists. */
function isAsked(path: readonly Json[], selection: Selection): boolean {
  let level = selection
  for (const step of path) {
    if (typeof step === 'number') continue
    const field = typeof step === 'string' ? level.fields.get(step) : undefined
    if (!field) return false
    level = field.below
  }
  return true
}
