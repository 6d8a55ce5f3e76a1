import type { Json } from '@amodal/sdk'

// not in the types of the language yet: https://github.com/tc39/proposal-json-parse-with-source
const parseWithSource = JSON.parse as unknown as (
  text: string,
  reviver: (key: string, value: unknown, context?: { readonly source?: string }) => unknown,
) => unknown
const { rawJSON } = JSON as unknown as { readonly rawJSON?: (text: string) => object }

/** A number that no double holds, such as an id of 19 digits. JSON has it as it was read. */
export class LongNumber {
  readonly digits: string

  constructor(digits: string) {
    this.digits = digits
  }

  toJSON(): unknown {
    return rawJSON?.(this.digits) ?? Number(this.digits)
  }

  toString(): string {
    return this.digits
  }
}

/** Digits from which on a double may not hold a number. */
const LONG = /\d[\d.]{15}|\d[eE][+-]?\d{3}/

/** `JSON.parse` that keeps every digit of a number, where the browser can. */
export function parseExact(text: string): unknown {
  if (!LONG.test(text) || rawJSON === undefined) return JSON.parse(text)
  return parseWithSource(text, (_key, value, context) => {
    const source = context?.source
    const isLong = typeof value === 'number' && source !== undefined && LONG.test(source)
    return isLong && String(value) !== source ? new LongNumber(source) : value
  })
}

export const isLong = (value: Json): boolean => (value as unknown) instanceof LongNumber

/** A value as a text: a string is itself. */
export const plainText = (value: Json | undefined): string =>
  typeof value === 'string' ? value : JSON.stringify(value ?? null)
