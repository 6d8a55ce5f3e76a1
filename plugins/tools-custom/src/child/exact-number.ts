// As `ExactNumber` of the sdk, for handlers: nothing of it is in reach of this process.

/** Not in the types of the language yet: https://github.com/tc39/proposal-json-parse-with-source */
const { rawJSON } = JSON as unknown as { readonly rawJSON: (text: string) => object }
const parseWithSource = JSON.parse as unknown as (
  text: string,
  reviver: (key: string, value: unknown, context: { readonly source?: string }) => unknown,
) => unknown

/** A number that no double holds: its digits in texts and JSON, the nearest double elsewhere. */
export class ExactNumber {
  readonly digits: string

  constructor(digits: string) {
    this.digits = digits
    Object.freeze(this)
  }

  toJSON(): unknown {
    return rawJSON(this.digits)
  }

  toString(): string {
    return this.digits
  }

  /** The nearest double where a number is needed, and of a fraction in a sum; else its digits. */
  [Symbol.toPrimitive](hint: string): string | number {
    const isFraction =
      /[.eE]/.test(this.digits) && Math.abs(Number(this.digits)) < Number.MAX_SAFE_INTEGER
    return hint === 'number' || (hint === 'default' && isFraction)
      ? Number(this.digits)
      : this.digits
  }
}

/** Long enough, or with an exponent. Most messages have no such number. */
const LONG = /[\d.]{16}|\d[eE]/

/** What the server writes differently from a double is more than one holds. */
export const parse = (line: string): unknown =>
  LONG.test(line)
    ? parseWithSource(line, (_key, value, { source }) =>
        typeof value === 'number' && source !== undefined && String(value) !== source
          ? new ExactNumber(source)
          : value,
      )
    : JSON.parse(line)
