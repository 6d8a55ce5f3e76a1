import { EXACT, isExact, type ExactNumber as Exact } from '@amodal/kernel'

/** Not in the types of the language yet: https://github.com/tc39/proposal-json-parse-with-source */
const { rawJSON } = JSON as unknown as { readonly rawJSON: (text: string) => object }
const parseWithSource = JSON.parse as unknown as (
  text: string,
  reviver: (key: string, value: unknown, context: { readonly source?: string }) => unknown,
) => unknown

/**
 * A number of JSON that a double cannot hold, such as an id of 19 digits. In JSON it is written as
 * it was read, and in a text it is its digits. Only {@link parseExact} makes one.
 *
 * @example
 * const order = parseExact('{"id":2512292042121000001}')
 * JSON.stringify(order) // '{"id":2512292042121000001}'
 */
export class ExactNumber implements Exact {
  readonly digits: string

  constructor(digits: string) {
    if (!NUMBER.test(digits)) throw new TypeError('an ExactNumber is a number of JSON')
    this.digits = digits
    Object.defineProperty(this, EXACT, { value: true })
    Object.freeze(this)
  }

  toJSON(): unknown {
    return rawJSON(this.digits)
  }

  toString(): string {
    return this.digits
  }

  /** A fraction close to a double, and none of several ids that a double would mix up. */
  get isFraction(): boolean {
    return /[.eE]/.test(this.digits) && Math.abs(Number(this.digits)) < Number.MAX_SAFE_INTEGER
  }

  /** The nearest double where a number is needed, and of a fraction in a sum; else its digits. */
  [Symbol.toPrimitive](hint: string): string | number {
    return hint === 'number' || (hint === 'default' && this.isFraction)
      ? Number(this.digits)
      : this.digits
  }
}

const NUMBER = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/

/** Characters of a number from which on a double may not hold it. */
const LONG = 16
/** A number so large or small that no double comes near. */
const EXTREME = /\d[eE][+-]?\d{3,}(?=[\s,\]}]|$)/
/** Numbers that may be more than a double holds. A string that looks like one costs time only. */
const CANDIDATES =
  /(?:^|[[:,\s])(-?\d(?:[\d.]{15,}(?:[eE][+-]?\d+)?|[\d.]*[eE][+-]?\d{3,}))(?![\w.])/g

/** An escape of half of a character, or of a whole one. */
const SURROGATE = /\\u[dD][89a-fA-F]/

/** Every escape; a pair of surrogates is one, so that a half is found alone. */
const ESCAPE =
  /\\(?:u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}|(u[dD][89a-fA-F][\da-fA-F]{2})|[^])/g

/**
 * JSON text without escapes of half a character (`\ud83d` alone), which strict readers refuse, and
 * with it the request that it stands in. Each becomes U+FFFD; most texts are returned as they are.
 *
 * @example repairEscapes('{"a":"\\ud83d"}') // '{"a":"\\ufffd"}'
 */
export const repairEscapes = (json: string): string =>
  SURROGATE.test(json)
    ? json.replace(ESCAPE, (escape, half?: string) => (half === undefined ? escape : '\\ufffd'))
    : json

/**
 * `JSON.parse` that loses nothing: a number that no double holds is an {@link ExactNumber}, and
 * half a character is U+FFFD. Ordinary JSON is read as fast as by `JSON.parse`.
 *
 * @param halves `keep`: halves of characters stay, for a reader that refuses them
 * @throws SyntaxError as `JSON.parse` does
 */
export function parseExact(text: string, halves: 'keep' | 'repair' = 'repair'): unknown {
  const repaired = halves === 'keep' ? text : repairEscapes(text)
  return isExtraordinary(repaired) ? parseWithSource(repaired, exactly) : JSON.parse(repaired)
}

const isExtraordinary = (text: string): boolean =>
  (hasLong(text) || EXTREME.test(text)) && mayExceed(text)

/** Whether 16 digits (or dots) are side by side; one of them stands at a multiple of 16. */
function hasLong(text: string): boolean {
  for (let at = LONG - 1; at < text.length; at += LONG) {
    if (!isDigit(text.charCodeAt(at))) continue
    let start = at
    while (start > 0 && isDigit(text.charCodeAt(start - 1))) start--
    let end = at + 1
    while (end < text.length && isDigit(text.charCodeAt(end))) end++
    if (end - start >= LONG) return true
  }
  return false
}

const isDigit = (unit: number): boolean => (unit >= 48 && unit <= 57) || unit === 46

/** Most long numbers are doubles as another program has written them. */
function mayExceed(text: string): boolean {
  for (const [, source = ''] of text.matchAll(CANDIDATES))
    if (!isHeld(source, Number(source))) return true
  return false
}

const exactly = (_key: string, value: unknown, { source }: { readonly source?: string }): unknown =>
  typeof value === 'number' && source !== undefined && !isHeld(source, value)
    ? new ExactNumber(source)
    : value

/** Whether a double has the value of a number as it is written, and JSON would write it so. */
function isHeld(source: string, value: number): boolean {
  const written = String(value)
  if (written === source) return true
  // 1e+21 for what was a whole number: many readers take no exponent for one
  if (!Number.isFinite(value) || (/e/.test(written) && !/[.eE]/.test(source))) return false
  return decimalOf(written) === decimalOf(source)
}

/** The digits of a number without zeros around them, and its exponent. */
function decimalOf(text: string): string {
  const [mantissa = '', exponent = '0'] = text.toLowerCase().split('e')
  const [integer = '', fraction = ''] = mantissa.split('.')
  const digits = integer.replace('-', '') + fraction
  let [start, end] = [0, digits.length]
  while (start < end && digits[start] === '0') start++
  while (end > start && digits[end - 1] === '0') end--
  if (start === end) return '0'
  const power = Number(exponent) - fraction.length + digits.length - end
  return `${integer.startsWith('-') ? '-' : ''}${digits.slice(start, end)}e${power}`
}

const MARK = '\\u0000number:'
/** The same, once it is read. */
const MARKED = '\0number:'
/** A string of JSON, or a number. */
const TOKEN = /"[^"\\]*(?:\\[^][^"\\]*)*"|-?\d[\d.eE+-]*/g
const QUOTED = /"\\u0000number:(-?\d[\d.eE+-]*)"/g

/**
 * JSON text for a library that reads it with `JSON.parse`: a number that no double holds becomes a
 * marked string, which {@link unquoteNumbers} and {@link reviveNumbers} turn back.
 */
export const quoteNumbers = (json: string): string =>
  isExtraordinary(json)
    ? json.replace(TOKEN, (token) =>
        token.startsWith('"') || isHeld(token, Number(token)) ? token : `"${MARK}${token}"`,
      )
    : json

/** The numbers of {@link quoteNumbers} in JSON text that was made of what a library has read. */
export const unquoteNumbers = (json: string): string =>
  json.includes(MARK)
    ? json.replace(QUOTED, (text, digits: string) => (NUMBER.test(digits) ? digits : text))
    : json

/** The same in a value, as {@link ExactNumber}; the value itself where none is in it. */
export const reviveNumbers = (value: unknown): unknown =>
  mapped(value, (one) => {
    const digits = typeof one === 'string' && one.startsWith(MARKED) ? one.slice(MARKED.length) : ''
    return NUMBER.test(digits) ? new ExactNumber(digits) : one
  })

/** Each {@link ExactNumber} of plain data as a marked string, for {@link unquoteNumbers}. */
export const markNumbers = (value: unknown): unknown =>
  mapped(value, (one) => (isExact(one) ? MARKED + one.digits : one))

function mapped(value: unknown, change: (one: unknown) => unknown): unknown {
  if (Array.isArray(value)) {
    const items: readonly unknown[] = value.map((item) => mapped(item, change))
    return items.some((item, at) => item !== value[at]) ? items : value
  }
  if (!isPlain(value)) return change(value)
  let isChanged = false
  const fields = Object.entries(value).map(([name, inner]) => {
    const other = mapped(inner, change)
    isChanged ||= other !== inner
    return [name, other] as const
  })
  return isChanged ? Object.fromEntries(fields) : value
}

/** Plain data: anything else goes on as it is. */
function isPlain(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}
