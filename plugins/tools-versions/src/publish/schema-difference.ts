import { isList, isObject, type Json, type JsonObject } from '@amodal/sdk'

export const BUMPS = ['patch', 'minor', 'major'] as const
export type Bump = (typeof BUMPS)[number]

/** One difference of two contracts, and which part of the version it changes at least. */
export interface Difference {
  readonly path: string
  readonly change: string
  readonly bump: Bump
}

/** The JSON Schemas of a version. */
export interface Contract {
  readonly input: JsonObject
  readonly output: JsonObject | undefined
}

/** Words that describe, and change nothing of what fits. */
const ANNOTATIONS: ReadonlySet<string> = new Set([
  'title',
  'description',
  'examples',
  'default',
  'deprecated',
  '$comment',
  '$schema',
  '$id',
  'readOnly',
  'writeOnly',
])
const LOWER_BOUNDS: ReadonlySet<string> = new Set([
  'minimum',
  'exclusiveMinimum',
  'minLength',
  'minItems',
  'minProperties',
])
const UPPER_BOUNDS: ReadonlySet<string> = new Set([
  'maximum',
  'exclusiveMaximum',
  'maxLength',
  'maxItems',
  'maxProperties',
])
const STRUCTURE: ReadonlySet<string> = new Set([
  'type',
  'properties',
  'required',
  'enum',
  'const',
  'items',
  'additionalProperties',
  ...LOWER_BOUNDS,
  ...UPPER_BOUNDS,
])

/** What the differences together demand. */
export const bumpOf = (differences: readonly Difference[]): Bump =>
  BUMPS.findLast((bump) => differences.some((one) => one.bump === bump)) ?? 'patch'

/**
 * Compares two contracts: whatever is removed or narrowed is major, what is added as optional is
 * minor. An output whose values may be of more kinds than before is major too, since callers know
 * nothing of them.
 */
export const contractDifferences = (before: Contract, after: Contract): readonly Difference[] => [
  ...schemaDifferences('input', before.input, after.input, 'input'),
  ...outputDifferences(before.output, after.output),
]

function outputDifferences(
  before: JsonObject | undefined,
  after: JsonObject | undefined,
): readonly Difference[] {
  if (before && after) return schemaDifferences('output', before, after, 'output')
  if (after) return [{ path: 'output', change: 'a schema was added', bump: 'minor' }]
  return before ? [{ path: 'output', change: 'the schema was removed', bump: 'major' }] : []
}

type Side = 'input' | 'output'
type Report = (change: string, bump: Bump, at?: string) => Difference

function schemaDifferences(
  path: string,
  before: JsonObject,
  after: JsonObject,
  side: Side,
): readonly Difference[] {
  const report: Report = (change, bump, at = path) => ({ path: at, change, bump })
  return [
    ...kinds(before, after, side, report),
    ...bounds(before, after, side, report),
    ...properties(path, before, after, side),
    ...additional(before, after, side, report),
    ...items(path, before, after, side, report),
    ...others(before, after, report),
  ]
}

/** Narrowing is major on both sides; widening is minor where values come in. */
const widened = (side: Side): Bump => (side === 'input' ? 'minor' : 'major')

function kinds(before: JsonObject, after: JsonObject, side: Side, report: Report): Difference[] {
  return [
    ...sets('type', listOf(before['type']), listOf(after['type']), side, report),
    ...sets('enum', allowedOf(before), allowedOf(after), side, report),
  ]
}

const listOf = (value: Json | undefined): readonly Json[] | undefined => {
  if (value === undefined) return undefined
  return isList(value) ? value : [value]
}
const allowedOf = (schema: JsonObject): readonly Json[] | undefined =>
  listOf(schema['enum']) ?? (schema['const'] === undefined ? undefined : [schema['const']])

/** @param before values that fit; `undefined`: all */
function sets(
  word: string,
  before: readonly Json[] | undefined,
  after: readonly Json[] | undefined,
  side: Side,
  report: Report,
): Difference[] {
  if (!before && !after) return []
  if (!before) return [report(`\`${word}\` was added, which narrows it`, 'major')]
  if (!after) return [report(`\`${word}\` was removed, which widens it`, widened(side))]
  const [had, has] = [
    before.map((one) => JSON.stringify(one)),
    after.map((one) => JSON.stringify(one)),
  ]
  const removed = had.filter(
    (one) => !has.includes(one) && !(one === '"integer"' && has.includes('"number"')),
  )
  const added = has.filter(
    (one) => !had.includes(one) && !(one === '"integer"' && had.includes('"number"')),
  )
  return [
    ...(removed.length > 0 ? [report(`\`${word}\` lacks ${removed.join(', ')}`, 'major')] : []),
    ...(added.length > 0
      ? [report(`\`${word}\` has ${added.join(', ')} more`, widened(side))]
      : []),
  ]
}

function bounds(before: JsonObject, after: JsonObject, side: Side, report: Report): Difference[] {
  return [...LOWER_BOUNDS, ...UPPER_BOUNDS].flatMap((word) => {
    const isLower = LOWER_BOUNDS.has(word)
    const open = isLower ? -Infinity : Infinity
    const had = boundOf(before[word], open)
    const has = boundOf(after[word], open)
    if (had === has) return []
    const isNarrower = isLower ? has > had : has < had
    return [
      isNarrower
        ? report(`\`${word}\` narrows it`, 'major')
        : report(`\`${word}\` widens it`, widened(side)),
    ]
  })
}

const boundOf = (value: Json | undefined, open: number): number =>
  value === undefined || value === null ? open : Number(value)

function properties(
  path: string,
  before: JsonObject,
  after: JsonObject,
  side: Side,
): readonly Difference[] {
  const [had, has] = [fieldsOf(before), fieldsOf(after)]
  const [needed, needs] = [requiredOf(before), requiredOf(after)]
  return [...new Set([...Object.keys(had), ...Object.keys(has), ...needed, ...needs])].flatMap(
    (name): readonly Difference[] => {
      const at = `${path}.${name}`
      const [old, now] = [had[name], has[name]]
      if (old && !now) return [{ path: at, change: 'was removed', bump: 'major' }]
      if (!old && now) return [addedField(at, needs.includes(name), side)]
      const inner = old && now ? schemaDifferences(at, old, now, side) : []
      return [...inner, ...requirement(at, needed.includes(name), needs.includes(name), side)]
    },
  )
}

const addedField = (path: string, required: boolean, side: Side): Difference =>
  required && side === 'input'
    ? { path, change: 'was added and is required', bump: 'major' }
    : { path, change: 'was added', bump: 'minor' }

/** What callers had to send may be left out, and what they could count on may not. */
function requirement(path: string, before: boolean, after: boolean, side: Side): Difference[] {
  if (before === after) return []
  const isBreaking = side === 'input' ? after : before
  const change = after ? 'is required now' : 'is optional now'
  return [{ path, change, bump: isBreaking ? 'major' : 'minor' }]
}

function fieldsOf(schema: JsonObject): Readonly<Record<string, JsonObject>> {
  const fields = schema['properties']
  return isObject(fields)
    ? Object.fromEntries(
        Object.entries(fields).map(([name, one]) => [name, isObject(one) ? one : { const: one }]),
      )
    : {}
}
const requiredOf = (schema: JsonObject): readonly string[] =>
  (listOf(schema['required']) ?? []).filter((name) => typeof name === 'string')

function additional(
  before: JsonObject,
  after: JsonObject,
  side: Side,
  report: Report,
): Difference[] {
  const [had, has] = [before['additionalProperties'] ?? true, after['additionalProperties'] ?? true]
  if (JSON.stringify(had) === JSON.stringify(has)) return []
  if (has === true) return [report('`additionalProperties` are accepted now', widened(side))]
  return [report('`additionalProperties` accepts less, or another kind', 'major')]
}

function items(
  path: string,
  before: JsonObject,
  after: JsonObject,
  side: Side,
  report: Report,
): readonly Difference[] {
  const [had, has] = [before['items'], after['items']]
  if (isObject(had) && isObject(has)) return schemaDifferences(`${path}[]`, had, has, side)
  if (JSON.stringify(had) === JSON.stringify(has)) return []
  return [report('`items` changed', has === undefined ? widened(side) : 'major')]
}

/** Words that are not understood here: a change of one may do anything. */
const others = (before: JsonObject, after: JsonObject, report: Report): readonly Difference[] =>
  [...new Set([...Object.keys(before), ...Object.keys(after)])]
    .filter((word) => !ANNOTATIONS.has(word) && !STRUCTURE.has(word))
    .filter((word) => JSON.stringify(before[word]) !== JSON.stringify(after[word]))
    .map((word) => report(`\`${word}\` changed`, 'major'))
