/** Kinds of numbers that are recognised by shape and check digits. */
export const PATTERNS = ['ssn', 'card', 'iban', 'bank_account'] as const
export type PatternKind = (typeof PATTERNS)[number]

/** A place in a text, from `start` up to `end`. */
export interface Span {
  readonly start: number
  readonly end: number
}
export interface PatternFinding extends Span {
  readonly kind: PatternKind
}

export const overlaps = (one: Span, other: Span): boolean =>
  one.start < other.end && other.start < one.end
