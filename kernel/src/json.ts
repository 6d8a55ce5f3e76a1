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

/** A number of JSON that a double cannot hold, such as an id of 19 digits. It writes itself. */
export interface ExactNumber {
  readonly digits: string
  /** A fraction close to a double, and none of several ids that a double would mix up. */
  readonly isFraction: boolean
  readonly toJSON: () => unknown
  readonly toString: () => string
  readonly [Symbol.toPrimitive]: (hint: string) => string | number
}

/** On every {@link ExactNumber}, whichever copy of a module has made it. */
export const EXACT = Symbol.for('amodal.exact-number')

export const isExact = (value: unknown): value is ExactNumber =>
  typeof value === 'object' && value !== null && EXACT in value
