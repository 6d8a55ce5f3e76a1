import type { Json } from '@amodal/sdk'
import type { Field } from './schema.ts'
import { identifierWords, mentions, mentionsOf, wordsOf } from './words.ts'

const QUOTED = /"([^"\n]+)"|“([^”\n]+)”|`([^`\n]+)`|(?<![\p{L}\p{N}])'([^'\n]+)'(?![\p{L}\p{N}])/gu
const DATE =
  /\b\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?)?\b/g
const EMAIL = /[\w.+-]+@[\w-]+(?:\.[\w-]+)+/g
const ADDRESS = /\bhttps?:\/\/[^\s<>"']+[^\s<>"'.,;:!?)]/g
/** Letters and digits in one: `T-1001`, `evt_12`. */
const ID = /\b(?=[\w-]*\d)(?=[\w-]*\p{L})[\w]+(?:-[\w]+)*\b/gu
const NUMBER = /(?<![\w.-])-?\d+(?:,\d{3})*(?:\.\d+)?(?![\w-])/g

const all = (pattern: RegExp, text: string): readonly string[] =>
  [...text.matchAll(pattern)].map(
    (found) => found.slice(1).find((group) => group !== undefined) ?? found[0],
  )

export const quotedIn = (text: string): readonly string[] => all(QUOTED, text)
export const datesIn = (text: string): readonly string[] => all(DATE, text)
export const emailsIn = (text: string): readonly string[] => all(EMAIL, text)
export const addressesIn = (text: string): readonly string[] => all(ADDRESS, text)
export const idsIn = (text: string): readonly string[] =>
  all(ID, text.replace(DATE, ' ').replace(EMAIL, ' ').replace(ADDRESS, ' '))
export const numbersIn = (text: string): readonly number[] =>
  all(NUMBER, text.replace(DATE, ' ')).map((one) => Number(one.replaceAll(',', '')))

/** A text without the words that only ask for an order: "sorted by opened_at" names no state. */
export const withoutOrder = (text: string): string =>
  text.replaceAll(/\b(?:sort|order)(?:ed)?\s+by\s+(?:the\s+)?[\p{L}_-]+/giu, ' ')

/** Whether a text says what is not meant; what it names then narrows nothing. */
export const isNegated = (text: string): boolean =>
  /\b(?:not|no|except|without|other than|besides)\b|n't\b/i.test(text)

/** The value of a listed set that a text names, the longest name first. */
export function namedValues(values: readonly string[], text: string): readonly string[] {
  const known = mentionsOf(text)
  const named = values.filter((value) => mentions(known, value))
  // `deal` inside of a named `deal-notes` is not meant.
  return named.filter(
    (value) =>
      !named.some(
        (other) =>
          other !== value &&
          mentions(mentionsOf(other), value) &&
          !mentionsTwice(text, value, other),
      ),
  )
}

function mentionsTwice(text: string, value: string, longer: string): boolean {
  const without = text.replaceAll(new RegExp(identifierWords(longer).join('[\\s_-]*'), 'gi'), ' ')
  return mentions(mentionsOf(without), value)
}

/** Whether a text names a flag, and does not deny it. `undefined`: it does not speak of it. */
export function flagIn(name: string, text: string): boolean | undefined {
  const pattern = identifierWords(name).join(String.raw`[\s_-]*`)
  const said = new RegExp(String.raw`(\b(?:not|no|without|un|non)[\s-]*)?\b${pattern}\b`, 'i').exec(
    text,
  )
  return said === null ? undefined : said[1] === undefined
}

/** A piece of text as a value for a field; `undefined` where it cannot be one. */
export function coerce(field: Field, raw: string): Json | undefined {
  const text = (quotedIn(raw)[0] ?? raw).trim()
  if (text === '') return undefined
  switch (field.kind) {
    case 'number': {
      const [number] = numbersIn(text)
      return number !== undefined && inRange(field, number) ? number : undefined
    }
    case 'boolean':
      if (/^(?:true|yes|on|enabled?)\b/i.test(text)) return true
      return /^(?:false|no|off|disabled?|not)\b/i.test(text) ? false : undefined
    case 'array': {
      const { item } = field
      if (item === undefined || item.kind === 'object') return undefined
      return raw
        .split(/,|\band\b/)
        .map((piece) => coerce(item, piece))
        .filter((value) => value !== undefined)
    }
    case 'string':
    case 'any':
      return field.values.length > 0 ? namedValues(field.values, text)[0] : formatted(field, text)
    case 'object':
      return undefined
    default:
      return field.kind satisfies never
  }
}

export function inRange(field: Field, number: number): boolean {
  return (
    number >= (field.min ?? -Infinity) &&
    number <= (field.max ?? Infinity) &&
    (!field.integer || Number.isInteger(number))
  )
}

/** A text in the format its field asks for. */
export function formatted(field: Field, text: string): string | undefined {
  switch (field.format) {
    case 'date':
      return datesIn(text)[0]?.slice(0, 10)
    case 'date-time':
      return isoTime(datesIn(text)[0])
    case 'email':
      return emailsIn(text)[0]
    case 'uri':
    case 'url':
      return addressesIn(text)[0]
    default:
      return wordsOf(text).length > 0 || /\d/.test(text) ? text : undefined
  }
}

function isoTime(date: string | undefined): string | undefined {
  if (date === undefined) return undefined
  const time = new Date(
    /[Z]|[+-]\d{2}:?\d{2}$/.test(date.slice(10))
      ? date
      : `${date.replace(' ', 'T')}${date.length > 10 ? 'Z' : ''}`,
  )
  return Number.isNaN(time.getTime()) ? undefined : time.toISOString()
}
