/** JSON as a value. */
export type Json =
  | null
  | boolean
  | number
  | ExactNumber
  | string
  | readonly Json[]
  | { readonly [key: string]: Json }
export type JsonObject = { readonly [key: string]: Json }

/** A number of JSON that a double cannot represent, such as an id of 19 digits, as its text. */
export interface ExactNumber {
  readonly digits: string
  /** A fraction close to a double, and none of several ids that a double would mix up. */
  readonly isFraction: boolean
  readonly toJSON: () => unknown
  readonly toString: () => string
  readonly [Symbol.toPrimitive]: (hint: string) => string | number
}

/** Marks every {@link ExactNumber}, also one of another copy of this module. */
export const EXACT = Symbol.for('amodal.exact-number')

export const isExact = (value: unknown): value is ExactNumber =>
  typeof value === 'object' && value !== null && EXACT in value
