import { isList, isObject, type Json, type JsonObject } from '@amodal/sdk'
import { parseExact } from '@amodal/sdk/data'

const YES: readonly string[] = ['y', 'yes', 'true', 'ok', 'approve', 'approved', 'allow']
const NO: readonly string[] = [
  'n',
  'no',
  'false',
  'deny',
  'denied',
  'decline',
  'declined',
  'reject',
  'rejected',
]

/** Parses a word that means yes or no; `undefined` for other words. */
export function decided(value: unknown): boolean | undefined {
  if (typeof value === 'boolean') return value
  const word = typeof value === 'string' ? value.trim().toLowerCase() : ''
  if (YES.includes(word)) return true
  return NO.includes(word) ? false : undefined
}

/**
 * Converts an answer to the type of its question: clients that only have a text field send `"yes"`,
 * `"12"`, the label of an option, or one option where several may be chosen. A value that cannot be
 * converted is returned unchanged, and is refused later.
 */
export function fitted(schema: Json | undefined, value: Json): Json {
  if (!isObject(schema)) return value
  switch (schema['type']) {
    case 'boolean':
      return decided(value) ?? value
    case 'integer':
    case 'number':
      return typeof value === 'string' && /^\s*[-+]?\d+(?:\.\d+)?\s*$/.test(value)
        ? numberIn(value)
        : value
    case 'array':
      return (isList(value) ? value : [value]).map((item) => fitted(schema['items'], item))
    case 'string':
      return typeof value === 'string' ? optionOf(schema, value) : value
    default:
      return value
  }
}

/** The number with all of its digits. */
const numberIn = (text: string): Json =>
  parseExact(
    text
      .trim()
      .replace('+', '')
      .replace(/^(-?)0+(?=\d)/, '$1'),
  ) as Json // a number, as it was matched

/** The option with this value, or with this label (case-insensitive). */
function optionOf({ enum: values, oneOf }: JsonObject, text: string): Json {
  if (!isList(values) || values.includes(text)) return text
  const word = text.trim().toLowerCase()
  const titled = isList(oneOf)
    ? oneOf.find(
        (one) =>
          isObject(one) && typeof one['title'] === 'string' && one['title'].toLowerCase() === word,
      )
    : undefined
  if (isObject(titled) && titled['const'] !== undefined) return titled['const']
  return values.find((value) => typeof value === 'string' && value.toLowerCase() === word) ?? text
}
