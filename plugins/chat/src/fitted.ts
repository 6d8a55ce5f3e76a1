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

/** What a yes or no means that was given as a word; `undefined` where it is neither. */
export function decided(value: unknown): boolean | undefined {
  if (typeof value === 'boolean') return value
  const word = typeof value === 'string' ? value.trim().toLowerCase() : ''
  if (YES.includes(word)) return true
  return NO.includes(word) ? false : undefined
}

/**
 * An answer in the type that its question asks for: clients with nothing but a text field send
 * `"yes"`, `"12"`, the label of an option, or one option where several may be chosen. What does not
 * fit stays as it is, and is refused.
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

/** With all of its digits. */
const numberIn = (text: string): Json =>
  parseExact(
    text
      .trim()
      .replace('+', '')
      .replace(/^(-?)0+(?=\d)/, '$1'),
  ) as Json // a number, as it was matched

/** The option that a text means: by its value, or by its label in whatever case. */
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
