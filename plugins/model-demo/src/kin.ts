import type { Json, JsonObject } from '@amodal/sdk'
import type { Field } from './schema.ts'
import type { Tool } from './turn.ts'
import { flagIn, isNegated, namedValues, withoutOrder } from './values.ts'
import { identifierWords, mentions, mentionsOf, stem } from './words.ts'

const FILTERS = new Set(['filter', 'filters', 'where', 'match', 'criteria'])

/**
 * What a value of a reader's parameter stands for, told by another tool that names it: the schema
 * of `store_deals` describes what `query_store` finds for `deals`.
 */
export type Kin = ReadonlyMap<string, readonly Field[]>

export function kinOf(reader: Tool, tools: readonly Tool[]): Kin {
  const values = reader.fields.flatMap((field) => field.values)
  const kin = new Map<string, readonly Field[]>()
  if (values.length === 0) return kin
  for (const tool of tools) {
    if (tool === reader || tool.intent === 'read' || tool.intent === 'act') continue
    const [value] = values
      .filter((one) => mentions(tool.named, one))
      .sort((a, b) => b.length - a.length)
    if (value !== undefined && !kin.has(value) && tool.fields.length > 1)
      kin.set(value, tool.fields)
  }
  return kin
}

/** Stems of the names and values of some fields. */
export function wordsAbout(fields: readonly Field[]): {
  readonly names: ReadonlySet<string>
  readonly values: ReadonlySet<string>
} {
  const stems = (texts: readonly string[]): ReadonlySet<string> =>
    new Set(texts.flatMap((text) => identifierWords(text).map(stem)))
  return {
    names: stems(fields.map((field) => field.name)),
    values: stems(fields.flatMap((field) => field.values)),
  }
}

/** Of several values those whose fields a text speaks of; all of them where it speaks of none. */
export function spokenOf(values: readonly string[], kin: Kin, text: string): readonly string[] {
  const known = mentionsOf(text)
  const spoken = values.filter((value) =>
    (kin.get(value) ?? []).some(
      (field) => mentions(known, field.name) || namedValues(field.values, text).length > 0,
    ),
  )
  return spoken.length > 0 ? spoken : values
}

/**
 * Equality with each listed value and flag that a text names, for a reader that takes any fields as
 * its filter.
 */
export function filterFor(reader: Tool, described: readonly Field[], text: string): JsonObject {
  const field = reader.fields.find(
    (one) =>
      one.kind === 'object' && one.fields.length === 0 && FILTERS.has(one.name.toLowerCase()),
  )
  if (field === undefined || isNegated(text)) return {}
  const spoken = withoutOrder(text)
  const pairs = described.flatMap((one): (readonly [string, Json])[] => {
    const named = namedValues(one.values, spoken)
    const only = named.length === 1 ? named[0] : undefined
    const value = one.kind === 'boolean' ? flagIn(one.name, spoken) : only
    return value === undefined ? [] : [[one.name, value]]
  })
  return pairs.length === 0 ? {} : { [field.name]: Object.fromEntries(pairs) }
}
