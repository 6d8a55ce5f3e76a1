import { isList, isObject, type JsonObject, type StoreFilter } from '@amodal/sdk'
import { didYouMean } from '@amodal/sdk/files'
import { compilePattern } from '../checks/pattern.ts'
import { compileSchema } from '../checks/schema.ts'
import type { Check, CheckKind, Measure } from '../definition.ts'
import { type Part, snakeCase } from './part.ts'

/** Reads the value of one check; `undefined` where it has told of a problem. */
type Reader = (part: Part) => readonly CheckKind[] | undefined

const READERS: ReadonlyMap<string, Reader> = new Map<string, Reader>([
  ['contains', contains(false)],
  ['not_contains', contains(true)],
  ['matches', matches(false)],
  ['not_matches', matches(true)],
  ['json_schema', jsonSchema],
  ['tools_called', tools(false)],
  ['tools_not_called', tools(true)],
  ['tool_order', toolOrder],
  ['tool_args', toolArgs],
  ['writes', writes],
  ['approvals', approvals],
  ['max_tokens', atMost('tokens')],
  ['max_cost', atMost('cost')],
  ['max_seconds', atMost('seconds')],
  ['max_tool_calls', atMost('tool_calls')],
  ['max_model_calls', atMost('model_calls')],
  ['ends', ends],
  ['store', store],
])

const NAMES: readonly string[] = [...READERS.keys()]
const REASONS = [
  'model_stop',
  'max_turns',
  'user_abort',
  'error',
  'budget_exceeded',
  'loop_detected',
] as const

/** Whether a name is one of a check, or nearly one: `max_token`. */
export const resemblesCheck = (name: string): boolean =>
  didYouMean(snakeCase(name), NAMES) !== undefined

/**
 * Reads a list of checks, each a mapping of one name. One that cannot be used is told with its
 * line, and the others are read.
 *
 * @example readChecks(part) // of `- max_tokens: 2000`: [{ kind: 'at_most', … }]
 */
export function readChecks(part: Part): readonly Check[] {
  return (part.items() ?? []).flatMap((item) => {
    if (typeof item.value === 'string') return rubricLine(item)
    const [entry, ...more] = item.entries() ?? []
    if (!entry) return isObject(item.value) ? (item.error('the check is empty', FIX) ?? []) : []
    if (more.length > 0)
      return item.error('this check has several names', 'begin each check with "- "') ?? []
    const [written, value] = entry
    const reader = READERS.get(snakeCase(written))
    if (!reader) return unknownCheck(written, value)
    if (value.value === null) return []
    const { line } = item
    return (reader(value) ?? []).map((kind): Check => ({ ...kind, line }))
  })
}

const FIX = `write one of: ${NAMES.join(', ')}`

function rubricLine(item: Part): readonly [] {
  item.error('this is a text, and a check is a name with a value', 'move the text to `rubric`')
  return []
}

function unknownCheck(name: string, part: Part): readonly [] {
  const meant = didYouMean(snakeCase(name), NAMES)
  part.error(
    `there is no check \`${name}\`${meant === undefined ? '' : `; did you mean \`${meant}\`?`}`,
    meant === undefined ? FIX : `rename it to \`${meant}\``,
  )
  return []
}

function contains(negated: boolean): Reader {
  return (part) => part.texts()?.map((text) => ({ kind: 'contains', text, negated }))
}

function matches(negated: boolean): Reader {
  return (part) => {
    const pattern = part.text()
    if (pattern === undefined) return undefined
    const compiled = compilePattern(pattern)
    if (compiled.ok) return [{ kind: 'matches', pattern, negated }]
    return part.error(
      `this is no regular expression: ${compiled.error}`,
      'correct it; look-around and back-references are not known',
    )
  }
}

/** A schema that can be compiled. */
function schemaOf(part: Part): JsonObject | undefined {
  const schema = part.object()
  if (!schema) return undefined
  const compiled = compileSchema(schema)
  if (compiled.ok) return schema
  return part.error(`this is no JSON Schema: ${compiled.error}`, 'correct the schema')
}

function jsonSchema(part: Part): readonly CheckKind[] | undefined {
  const schema = schemaOf(part)
  return schema && [{ kind: 'json_schema', schema }]
}

function tools(negated: boolean): Reader {
  return (part) => {
    const names = part.texts()
    return names && [{ kind: 'tools', tools: names, negated }]
  }
}

const MODES = ['exact', 'in_order', 'any_order'] as const

function toolOrder(part: Part): readonly CheckKind[] | undefined {
  if (!isObject(part.value)) {
    const names = part.texts()
    return names && [{ kind: 'tool_order', mode: 'in_order', tools: names }]
  }
  const fields = part.fields(['mode', 'tools'])
  const mode = fields?.has('mode') ? fields.get('mode')?.oneOf(MODES) : 'in_order'
  const names = required(part, fields, 'tools')?.texts()
  return mode && names && [{ kind: 'tool_order', mode, tools: names }]
}

function toolArgs(part: Part): readonly CheckKind[] | undefined {
  const fields = part.fields(['tool', 'schema'])
  const tool = required(part, fields, 'tool')?.text()
  const place = required(part, fields, 'schema')
  const schema = place && schemaOf(place)
  return tool !== undefined && schema ? [{ kind: 'tool_args', tool, schema }] : undefined
}

/** A field that has to be there; tells of it where it is not. */
function required(
  part: Part,
  fields: ReadonlyMap<string, Part> | undefined,
  name: string,
): Part | undefined {
  return fields && (fields.get(name) ?? part.error(`\`${name}\` is missing`, `add \`${name}\``))
}

function writes(part: Part): readonly CheckKind[] | undefined {
  if (part.value === 'none') return [{ kind: 'writes', least: 0, most: 0 }]
  if (!isObject(part.value)) {
    const count = part.count()
    return count === undefined ? undefined : [{ kind: 'writes', least: count, most: count }]
  }
  return writesBetween(part)
}

function writesBetween(part: Part): readonly CheckKind[] | undefined {
  const fields = part.fields(['min', 'max'])
  if (fields?.size === 0) return part.error(`${part.label} has no limit`, 'write `min` or `max`')
  const least = countOf(fields, 'min')
  const most = countOf(fields, 'max')
  if (!least || !most) return undefined
  if (least.value !== undefined && most.value !== undefined && most.value < least.value)
    return part.error(
      `\`min\` (${least.value}) is more than \`max\` (${most.value})`,
      'lower `min`',
    )
  return [
    {
      kind: 'writes',
      least: least.value ?? 0,
      ...(most.value !== undefined && { most: most.value }),
    },
  ]
}

/** A number that may be left out; `undefined` where it is wrong. */
function countOf(
  fields: ReadonlyMap<string, Part> | undefined,
  name: string,
): { readonly value?: number } | undefined {
  const part = fields?.get(name)
  if (!part) return {}
  const value = part.count()
  return value === undefined ? undefined : { value }
}

function approvals(part: Part): readonly CheckKind[] | undefined {
  const { value } = part
  const isNone = value === 'none' || (isList(value) && value.length === 0)
  const names = isNone ? [] : part.texts()
  return names && [{ kind: 'approvals', tools: names }]
}

function atMost(measure: Measure): Reader {
  const isAmount = measure === 'cost' || measure === 'seconds'
  return (part) => {
    const limit = isAmount ? part.amount() : part.count()
    return limit === undefined ? undefined : [{ kind: 'at_most', measure, limit }]
  }
}

function ends(part: Part): readonly CheckKind[] | undefined {
  const reason = part.oneOf(REASONS)
  return reason && [{ kind: 'ends', reason }]
}

function store(part: Part): readonly CheckKind[] | undefined {
  const fields = part.fields(['name', 'filter', 'count', 'schema'])
  const name = required(part, fields, 'name')?.text()
  const filters = filtersOf(fields?.get('filter'))
  const count = countOf(fields, 'count')
  const place = fields?.get('schema')
  const schema = place ? schemaOf(place) : {}
  if (name === undefined || !filters || !count || !schema) return undefined
  const { value } = count
  return [
    {
      kind: 'store',
      store: name,
      filters,
      ...(value !== undefined && { count: value }),
      ...(place && { schema }),
    },
  ]
}

function filtersOf(part: Part | undefined): readonly StoreFilter[] | undefined {
  const entries = part ? part.entries() : []
  return entries?.map(([field, { value }]) => ({ field, op: 'eq', value }))
}
