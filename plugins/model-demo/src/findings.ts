import type { Json } from '@amodal/sdk'
import { wishOf } from './intent.ts'
import { NEXT_PHRASE, pairsIn } from './pairs.ts'
import type { Field } from './schema.ts'
import type { Tool } from './turn.ts'
import {
  addressesIn,
  coerce,
  datesIn,
  emailsIn,
  flagIn,
  formatted,
  idsIn,
  inRange,
  namedValues,
  numbersIn,
  quotedIn,
} from './values.ts'
import { identifierWords, stem, subjectsOf, wordsOf } from './words.ts'

export const ID_NAMES = new Set(['id', 'key', 'code', 'ref', 'reference', 'number'])
export const TEXT_NAMES = new Set([
  'text',
  'message',
  'content',
  'body',
  'prompt',
  'question',
  'note',
  'description',
  'task',
  'title',
  'name',
  'summary',
  'label',
])
const QUERY_NAMES = new Set([
  'query',
  'q',
  'search',
  'term',
  'keyword',
  'keywords',
  'topic',
  'subject',
])
const COUNT_NAMES = new Set(['limit', 'count', 'max', 'top', 'size', 'n'])
const MAIL_NAMES = new Set(['email', 'mail'])
const ADDRESS_NAMES = new Set(['url', 'uri', 'link'])

/**
 * What a message says of each parameter of a tool, surest first.
 *
 * @param known values that look like ids and are none
 * @param named only what the message says by the parameter's name or value, no guesses
 */
export function* findings(
  tool: Tool,
  text: string,
  known: readonly string[],
  named: boolean,
): Generator<readonly [string, Json]> {
  const { fields } = tool
  const reads = tool.intent === 'read'
  const taken = new Set<Field>()
  const used: string[] = []
  const free = (): readonly Field[] => fields.filter((field) => !taken.has(field))
  const take = (field: Field, value: Json | undefined): (readonly [string, Json])[] => {
    if (value === undefined || taken.has(field) || (Array.isArray(value) && value.length === 0))
      return []
    taken.add(field)
    used.push(...(typeof value === 'string' ? [value] : []))
    return [[field.name, value]]
  }

  const pairs = pairsIn(text, fields)
  for (const { field, raw, strong } of pairs) {
    if (strong || !reads || field.kind !== 'string') yield* take(field, coerce(field, raw))
  }
  for (const field of free()) yield* take(field, mentioned(field, text))
  if (named) return

  const dates = [...datesIn(text)]
  for (const field of free())
    if (field.required && field.format?.startsWith('date'))
      yield* take(field, formatted(field, dates.shift() ?? ''))
  for (const field of free()) if (isText(field, MAIL_NAMES)) yield* take(field, emailsIn(text)[0])
  for (const field of free())
    if (isText(field, ADDRESS_NAMES)) yield* take(field, addressesIn(text)[0])

  const ids = idsIn(text).filter((id) => !used.includes(id) && !known.includes(id))
  for (const field of free()) if (isText(field, ID_NAMES)) yield* take(field, ids.shift())
  const quotes = quotedIn(text).filter((quote) => !used.includes(quote))
  const quotable = free().filter(
    (field) =>
      isText(field) &&
      !isText(field, ID_NAMES) &&
      (field.required || isText(field, TEXT_NAMES) || isText(field, QUERY_NAMES)),
  )
  for (const field of quotable) yield* take(field, quotes.shift())

  for (const field of free())
    if (field.kind === 'number' && COUNT_NAMES.has(field.name.toLowerCase()))
      yield* take(field, howMany(field, text))
  const numbers = free().filter((field) => field.kind === 'number' && field.required)
  const [number] = numbers
  if (numbers.length === 1 && number !== undefined)
    yield* take(
      number,
      numbersIn(text).find((one) => inRange(number, one)),
    )
  for (const field of free())
    if (/^(?:sort|order)(?:_?by)?$/i.test(field.name)) yield* take(field, sorting(field, text))

  // "Save a task: call Jo": the text behind the colon is the task.
  const title = free().find((field) => field.required && isText(field, TEXT_NAMES))
  if (!reads && title !== undefined && !pairs.some(({ strong }) => strong))
    yield* take(title, afterColon(text))
  const [only, another] = fields.filter((field) => field.required && isText(field))
  if (only !== undefined && another === undefined && !isText(only, ID_NAMES))
    yield* take(only, isText(only, QUERY_NAMES) ? subjectsIn(text, tool) : phraseIn(text))
}

/** Values of a set, flags and parts of an object, where the text has their names. */
function mentioned(field: Field, text: string): Json | undefined {
  if (field.kind === 'boolean') return flagIn(field.name, text)
  if (field.values.length > 0) return namedValues(field.values, text)[0]
  if (field.kind === 'array' && field.item !== undefined && field.item.values.length > 0)
    return namedValues(field.item.values, text)
  if (field.kind !== 'object') return undefined
  const parts = field.fields.flatMap((part): (readonly [string, Json])[] => {
    const pair = pairsIn(text, [part]).find((one) => one.strong)
    const value = (pair && coerce(part, pair.raw)) ?? mentioned(part, text)
    return value === undefined ? [] : [[part.name, value]]
  })
  return parts.length === 0 ||
    field.fields.some((part) => part.required && !parts.some(([name]) => name === part.name))
    ? undefined
    : Object.fromEntries(parts)
}

function howMany(field: Field, text: string): number | undefined {
  const said = /\b(?:first|top|last|latest|newest|limit|only|at most)\s+(\d{1,4})\b/i.exec(
    text,
  )?.[1]
  const number = said === undefined ? undefined : Number(said)
  return number !== undefined && inRange(field, number) ? number : undefined
}

/**
 * "sorted by amount, descending" as `-amount` where the description speaks of a sign, else as the
 * bare name.
 */
function sorting(field: Field, text: string): string | undefined {
  const said = /\b(?:sort|order)(?:ed)?\s+by\s+(?:the\s+)?([\p{L}_]+)/iu.exec(text)?.[1]
  if (said === undefined) return undefined
  if (field.values.length > 0)
    return field.values.find((value) => stem(value.toLowerCase()) === stem(said.toLowerCase()))
  const descends = /\b(?:desc|descending|highest|largest|latest|newest|most)\b/i.test(text)
  return descends && field.description.includes('-') ? `-${said}` : said
}

/** A parameter for free text, of one of these names where they are given. */
export function isText(field: Field, names?: ReadonlySet<string>): boolean {
  if (
    field.kind !== 'string' ||
    field.values.length > 0 ||
    (field.format !== undefined && names === undefined)
  )
    return false
  return names === undefined || names.has(identifierWords(field.name).at(-1) ?? '')
}

/**
 * What a search is for: the subjects of a text without the words that chose the tool, unless these
 * are all.
 */
function subjectsIn(text: string, tool: Tool): string | undefined {
  const subjects = subjectsOf(text)
  const own = subjects.filter(
    (word) => !tool.named.has(word) && !wishOf(text).commands.includes(word),
  )
  const words = wordsOf(text).filter((word) =>
    (own.length > 0 ? own : subjects).includes(stem(word)),
  )
  return words.length === 0 ? undefined : words.join(' ')
}

function afterColon(text: string): string | undefined {
  return /(?<!\d):\s+(\S[^\n]*)$/
    .exec(text)?.[1]
    ?.trim()
    .replace(/[.?!]+$/, '')
}

/**
 * What is behind a colon, else behind "that", else behind the preposition that names the subject,
 * up to the next one.
 */
function phraseIn(text: string): string | undefined {
  const whole = afterColon(text) ?? /\bthat\s+([^\n]+)/i.exec(text)?.[1]
  const place = /\b(?:about|for|in|at|of|to|on)\s+(?:the\s+)?([^,.?!\n]+)/i
    .exec(text)?.[1]
    ?.split(NEXT_PHRASE, 1)[0]
  return (whole ?? place)?.trim().replace(/[.?!]+$/, '')
}
