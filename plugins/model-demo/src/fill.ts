import type { Json, JsonObject } from '@amodal/sdk'
import { filterFor, kinOf, spokenOf } from './kin.ts'
import { NEXT_PHRASE, pairsIn } from './pairs.ts'
import type { Field } from './schema.ts'
import type { Tool } from './turn.ts'
import { addressesIn, coerce, datesIn, emailsIn, flagIn, formatted, idsIn, inRange, namedValues, numbersIn, quotedIn } from './values.ts'
import { identifierWords, stem, subjectsOf, wordsOf } from './words.ts'

export interface Filling {
  /** One set of arguments per call: several where a message names no value of a required set, or more than one. */
  readonly calls: readonly JsonObject[]
  /** Required, and not found. */
  readonly missing: readonly Field[]
}

/** Calls made at once for a set of which none is named. */
const MAX_CALLS = 4
const ID_NAMES = new Set(['id', 'key', 'code', 'ref', 'reference', 'number'])
const QUERY_NAMES = new Set(['query', 'q', 'search', 'term', 'keyword', 'keywords', 'topic', 'subject'])
const TEXT_NAMES = new Set(['text', 'message', 'content', 'body', 'prompt', 'question', 'note', 'description', 'task', 'title', 'name', 'summary', 'label'])
const COUNT_NAMES = new Set(['limit', 'count', 'max', 'top', 'size', 'n'])

/**
 * Fills the arguments of a tool from a message, and where they are given from `base`, such as a
 * record that is to be changed. Nothing is invented but the id of a new record that has a name.
 */
export function fill(tool: Tool, text: string, tools: readonly Tool[], base: JsonObject = {}): Filling {
  const reads = tool.intent === 'read'
  const kin = kinOf(tool, tools)
  const known = [...kin.values()].flat().flatMap((field) => field.values)
  const args = new Map<string, Json>(Object.entries(base).filter(([name]) => tool.fields.some((field) => field.name === name)))
  for (const [name, value] of values(tool.fields, text, reads, known)) args.set(name, value)
  if (!reads && Object.keys(base).length === 0) inventIds(tool, args)

  const missing = tool.fields.filter((field) => field.required && !args.has(field.name))
  const set = reads ? setOf(tool.fields, missing, text) : undefined
  if (set === undefined) return { calls: [Object.fromEntries(args)], missing }
  const named = namedValues(set.values, text)
  const chosen = named.length > 0 ? named : spokenOf(set.values, kin, text)
  const oneRecord = tool.fields.some((field) => isText(field, ID_NAMES) && args.has(field.name))
  const calls = chosen.slice(0, MAX_CALLS).map((value) => ({
    ...Object.fromEntries(args), [set.name]: value, ...(oneRecord ? {} : filterFor(tool, kin.get(value) ?? [], text)),
  }))
  return { calls, missing: missing.filter((field) => field !== set) }
}

/** The parameter that tells a reader where to look: one whose values are listed, and named or needed. */
function setOf(fields: readonly Field[], missing: readonly Field[], text: string): Field | undefined {
  const sets = fields.filter((field) => field.kind === 'string' && field.values.length > 0 && (missing.includes(field) || namedValues(field.values, text).length > 0))
  return sets.find((field) => field.required) ?? sets[0]
}

/** What a message says of each field, surest first. */
function* values(fields: readonly Field[], text: string, reads: boolean, known: readonly string[]): Generator<readonly [string, Json]> {
  const taken = new Set<Field>()
  const used: string[] = []
  const free = (): readonly Field[] => fields.filter((field) => !taken.has(field))
  const take = (field: Field, value: Json | undefined): (readonly [string, Json])[] => {
    if (value === undefined || taken.has(field) || (Array.isArray(value) && value.length === 0)) return []
    taken.add(field)
    used.push(...typeof value === 'string' ? [value] : [])
    return [[field.name, value]]
  }

  const pairs = pairsIn(text, fields)
  for (const { field, raw, strong } of pairs) {
    if (strong || !reads || field.kind !== 'string') yield* take(field, coerce(field, raw))
  }
  for (const field of free()) yield* take(field, mentioned(field, text))
  const dates = [...datesIn(text)]
  for (const field of free()) if (field.required && field.format?.startsWith('date')) yield* take(field, formatted(field, dates.shift() ?? ''))
  for (const field of free()) if (isText(field, new Set(['email']))) yield* take(field, emailsIn(text)[0])
  for (const field of free()) if (isText(field, new Set(['url', 'uri', 'link']))) yield* take(field, addressesIn(text)[0])

  const ids = idsIn(text).filter((id) => !used.includes(id) && !known.includes(id))
  for (const field of free()) if (isText(field, ID_NAMES)) yield* take(field, ids.shift())
  const quotes = quotedIn(text).filter((quote) => !used.includes(quote))
  for (const field of free().filter((one) => isText(one) && (one.required || isText(one, TEXT_NAMES) || isText(one, QUERY_NAMES)))) yield* take(field, quotes.shift())

  for (const field of free()) if (field.kind === 'number' && COUNT_NAMES.has(field.name.toLowerCase())) yield* take(field, howMany(field, text))
  const numbers = free().filter((field) => field.kind === 'number' && field.required)
  const [number] = numbers
  if (numbers.length === 1 && number !== undefined) yield* take(number, numbersIn(text).find((one) => inRange(number, one)))
  for (const field of free()) if (/^(?:sort|order)(?:_?by)?$/i.test(field.name)) yield* take(field, sorting(field, text))

  // "Save a task: call Jo": the text behind the colon is the task.
  const title = free().find((field) => field.required && isText(field, TEXT_NAMES))
  if (!reads && title !== undefined && !pairs.some(({ strong }) => strong)) yield* take(title, afterColon(text))
  const [only, another] = fields.filter((field) => field.required && isText(field))
  if (only !== undefined && another === undefined && !isText(only, ID_NAMES)) yield* take(only, isText(only, QUERY_NAMES) ? subjectsIn(text) : phraseIn(text))
}

/** Values of a set, flags and parts of an object, where the text has their names. */
function mentioned(field: Field, text: string): Json | undefined {
  if (field.kind === 'boolean') return flagIn(field.name, text)
  if (field.values.length > 0) return namedValues(field.values, text)[0]
  if (field.kind === 'array' && field.item !== undefined && field.item.values.length > 0) return namedValues(field.item.values, text)
  if (field.kind !== 'object') return undefined
  const parts = field.fields.flatMap((part): (readonly [string, Json])[] => {
    const pair = pairsIn(text, [part]).find((one) => one.strong)
    const value = (pair && coerce(part, pair.raw)) ?? mentioned(part, text)
    return value === undefined ? [] : [[part.name, value]]
  })
  return parts.length === 0 || field.fields.some((part) => part.required && !parts.some(([name]) => name === part.name)) ? undefined : Object.fromEntries(parts)
}

function howMany(field: Field, text: string): number | undefined {
  const said = /\b(?:first|top|last|latest|newest|limit|only|at most)\s+(\d{1,4})\b/i.exec(text)?.[1]
  const number = said === undefined ? undefined : Number(said)
  return number !== undefined && inRange(field, number) ? number : undefined
}

/** "sorted by amount, descending" as `-amount` where the description speaks of a sign, else as the bare name. */
function sorting(field: Field, text: string): string | undefined {
  const said = /\b(?:sort|order)(?:ed)?\s+by\s+(?:the\s+)?([\p{L}_]+)/iu.exec(text)?.[1]
  if (said === undefined) return undefined
  if (field.values.length > 0) return field.values.find((value) => stem(value.toLowerCase()) === stem(said.toLowerCase()))
  const descends = /\b(?:desc|descending|highest|largest|latest|newest|most)\b/i.test(text)
  return descends && field.description.includes('-') ? `-${said}` : said
}

function isText(field: Field, names?: ReadonlySet<string>): boolean {
  if (field.kind !== 'string' || field.values.length > 0 || (field.format !== undefined && names === undefined)) return false
  return names === undefined || names.has(identifierWords(field.name).at(-1) ?? '')
}

function subjectsIn(text: string): string | undefined {
  const subjects = subjectsOf(text)
  const words = wordsOf(text).filter((word) => subjects.includes(stem(word)))
  return words.length === 0 ? undefined : words.join(' ')
}

function afterColon(text: string): string | undefined {
  return /(?<!\d):\s+(\S[^\n]*)$/.exec(text)?.[1]?.trim().replace(/[.?!]+$/, '')
}

/** What is behind a colon, else behind "that", else behind the preposition that names the subject, up to the next one. */
function phraseIn(text: string): string | undefined {
  const whole = afterColon(text) ?? /\bthat\s+([^\n]+)/i.exec(text)?.[1]
  const place = /\b(?:about|for|in|at|of|to|on)\s+(?:the\s+)?([^,.?!\n]+)/i.exec(text)?.[1]?.split(NEXT_PHRASE, 1)[0]
  return (whole ?? place)?.trim().replace(/[.?!]+$/, '')
}

/** A new record wants an id, and the person has given it a name: the name makes the id. */
function inventIds(tool: Tool, args: Map<string, Json>): void {
  const name = tool.fields.filter((field) => isText(field, TEXT_NAMES)).map((field) => args.get(field.name)).find((value) => typeof value === 'string')
  if (typeof name !== 'string') return
  const slug = wordsOf(name).join('-').slice(0, 60)
  for (const field of tool.fields) if (field.required && !args.has(field.name) && isText(field, new Set(['id', 'key'])) && slug !== '') args.set(field.name, slug)
}
