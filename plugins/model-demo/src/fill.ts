import type { Json, JsonObject } from '@amodal/sdk'
import { findings, ID_NAMES, isText, TEXT_NAMES } from './findings.ts'
import { filterFor, kinOf, spokenOf } from './kin.ts'
import type { Field } from './schema.ts'
import type { Tool } from './turn.ts'
import { namedValues } from './values.ts'
import { wordsOf } from './words.ts'

export interface Filling {
  /**
   * One set of arguments per call: several where a message names no value of a required set, or
   * more than one.
   */
  readonly calls: readonly JsonObject[]
  /** Required, and not found. */
  readonly missing: readonly Field[]
}

/** Calls made at once for a set of which none is named. */
const MAX_CALLS = 4
const INVENTED = new Set(['id', 'key'])

/**
 * Fills the arguments of a tool from a message. Nothing is invented but the id of a new record that
 * has a name.
 *
 * @param base a record that is to be changed: only what the message names is taken in its place
 */
export function fill(tool: Tool, text: string, tools: readonly Tool[], base?: JsonObject): Filling {
  const reads = tool.intent === 'read'
  const kin = kinOf(tool, tools)
  const known = [...kin.values()].flat().flatMap((field) => field.values)
  const args = new Map<string, Json>(
    Object.entries(base ?? {}).filter(([name]) => tool.fields.some((field) => field.name === name)),
  )
  for (const [name, value] of findings(tool, text, known, base !== undefined)) args.set(name, value)
  if (!reads && base === undefined) inventIds(tool, args)

  const missing = tool.fields.filter((field) => field.required && !args.has(field.name))
  const set = reads ? setOf(tool.fields, missing, text) : undefined
  if (set === undefined) return { calls: [Object.fromEntries(args)], missing }
  const named = namedValues(set.values, text)
  const chosen = named.length > 0 ? named : spokenOf(set.values, kin, text)
  const oneRecord = tool.fields.some((field) => isText(field, ID_NAMES) && args.has(field.name))
  const calls = chosen.slice(0, MAX_CALLS).map((value) => ({
    ...Object.fromEntries(args),
    [set.name]: value,
    ...(oneRecord ? {} : filterFor(tool, kin.get(value) ?? [], text)),
  }))
  return { calls, missing: missing.filter((field) => field !== set) }
}

/**
 * The parameter that tells a reader where to look: one whose values are listed, and named or
 * needed.
 */
function setOf(
  fields: readonly Field[],
  missing: readonly Field[],
  text: string,
): Field | undefined {
  const sets = fields.filter(
    (field) =>
      field.kind === 'string' &&
      field.values.length > 0 &&
      (missing.includes(field) || namedValues(field.values, text).length > 0),
  )
  return sets.find((field) => field.required) ?? sets[0]
}

/** A new record wants an id, and the person has given it a name: the name makes the id. */
function inventIds(tool: Tool, args: Map<string, Json>): void {
  const name = tool.fields
    .filter((field) => isText(field, TEXT_NAMES))
    .map((field) => args.get(field.name))
    .find((value) => typeof value === 'string')
  if (typeof name !== 'string') return
  const slug = wordsOf(name).join('-').slice(0, 60)
  for (const field of tool.fields)
    if (field.required && !args.has(field.name) && isText(field, INVENTED) && slug !== '')
      args.set(field.name, slug)
}
