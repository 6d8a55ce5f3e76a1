import { isList, isObject, type Json, type JsonObject } from '@amodal/sdk'
import { nameKey, plainLetters, type Parameters } from '@amodal/sdk/connections'
import type { Body } from './body.ts'

/** A step of a field path: a name, an index, or any item. */
type Step = string | number | typeof ANY
const ANY = Symbol('any item')

export interface FieldPath {
  readonly root: 'body' | 'query' | 'path' | 'headers'
  readonly steps: readonly Step[]
}

/** The values at a path. `doubt`: a value on the way has another type than the path expects. */
export interface Found {
  readonly values: readonly Json[]
  readonly doubt: boolean
}

/** The parts of a request that a threshold can refer to. */
export interface RequestParts {
  readonly body: Body
  readonly query: Readonly<Record<string, readonly string[]>>
  readonly headers: Readonly<Record<string, string>>
  readonly path: Parameters
}

const ROOTS: Readonly<Record<string, FieldPath['root']>> = {
  body: 'body',
  query: 'query',
  params: 'query',
  path: 'path',
  headers: 'headers',
}
const STEPS = /\[([^[\]]*)\]|([^.[\]]+)/g
const WHOLE = /^(?:\[[^[\]]*\]|[^.[\]]+)(?:\.[^.[\]]+|\[[^[\]]*\])*$/

/** `body.items[].qty`, `query.page[size]`, `path.id`; `undefined` where it is no such path. */
export function parseField(field: string): FieldPath | undefined {
  const [, word = '', inside = ''] = /^(\w+)(?:\.(?=.)|(?=\[)|$)(.*)$/s.exec(field) ?? []
  const root = ROOTS[word]
  if (root === undefined || (inside === '' ? root !== 'body' : !WHOLE.test(inside)))
    return undefined
  return { root, steps: stepsOf(inside) }
}

const stepsOf = (text: string): readonly Step[] =>
  [...text.matchAll(STEPS)].map(([, inside, name = '']) =>
    inside === undefined ? name : bracketStep(inside),
  )

function bracketStep(inside: string): Step {
  if (inside === '') return ANY
  return /^\d+$/.test(inside) ? Number(inside) : inside
}

/** All values at a path of a request. An absent value is no doubt. */
export function valuesAt(
  { root, steps }: FieldPath,
  { body, query, headers, path }: RequestParts,
): Found {
  switch (root) {
    case 'body':
      return inBody(body, steps)
    case 'query':
      return amongFields(query, steps)
    case 'headers':
      return { values: named(headers, steps), doubt: false }
    case 'path': {
      const value = path.get(nameOf(steps))
      // the template has no such parameter
      return value === undefined ? { values: [], doubt: true } : { values: [value], doubt: false }
    }
  }
}

const nameOf = (steps: readonly Step[]): string =>
  nameKey(steps.map((step) => (typeof step === 'symbol' ? '' : step)).join('.'))
const named = (headers: RequestParts['headers'], steps: readonly Step[]): readonly string[] =>
  Object.entries(headers).flatMap(([name, value]) =>
    nameKey(name) === nameOf(steps) ? [value] : [],
  )

function inBody(body: Body, steps: readonly Step[]): Found {
  switch (body.kind) {
    case 'none':
      return { values: [], doubt: false }
    case 'opaque':
      return { values: [], doubt: true }
    case 'form':
      return amongFields(body.fields, steps)
    case 'json':
      return body.twins ? { values: [], doubt: true } : walk(body.value, steps)
  }
}

function walk(value: Json | undefined, [step, ...rest]: readonly Step[]): Found {
  if (value === undefined) return { values: [], doubt: false }
  if (step === undefined) return { values: [value], doubt: false }
  if (typeof step === 'string')
    return isObject(value) ? under(value, step, rest) : { values: [], doubt: true }
  if (!isList(value)) return { values: [], doubt: true }
  if (typeof step === 'number') return walk(value[step], rest)
  return together(value.map((item) => walk(item, rest)))
}

const together = (found: readonly Found[]): Found => ({
  values: found.flatMap(({ values }) => values),
  doubt: found.some(({ doubt }) => doubt),
})

/**
 * Every field of this name: servers differ in whether case and form of letters count. One that only
 * looks like it leaves a doubt.
 */
function under(value: JsonObject, step: string, rest: readonly Step[]): Found {
  const found = Object.entries(value).flatMap(([name, inner]): readonly Found[] => {
    if (isSame(name, step)) return [walk(inner, rest)]
    return looksLike(name, step) ? [{ values: [], doubt: true }] : []
  })
  return together(found)
}

const isSame = (name: string, step: string): boolean =>
  name === step || nameKey(name) === nameKey(step)
const looksLike = (name: string, step: string): boolean => plainLetters(name) === plainLetters(step)

/**
 * Fields of a form or query whose name leads where the steps do: `items[0][qty]`, `items[].qty`,
 * `ids[]`.
 */
function amongFields(
  fields: Readonly<Record<string, readonly string[]>>,
  steps: readonly Step[],
): Found {
  return together(
    Object.entries(fields).map(([name, values]): Found => {
      const own = stepsOf(name)
      if (leadsTo(own, steps, isSame)) return { values, doubt: false }
      return { values: [], doubt: leadsTo(own, steps, looksLike) }
    }),
  )
}

function leadsTo(
  name: readonly Step[],
  steps: readonly Step[],
  same: (name: string, step: string) => boolean,
): boolean {
  const extra = name.length - steps.length
  if (extra !== 0 && !(extra === 1 && typeof name.at(-1) !== 'string')) return false
  return steps.every((step, at) => {
    const other = name[at]
    return typeof step === 'string'
      ? typeof other === 'string' && same(other, step)
      : typeof other !== 'string' && (step === ANY || other === ANY || other === step)
  })
}
