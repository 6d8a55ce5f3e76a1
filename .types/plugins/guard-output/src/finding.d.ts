/** What the scanner knows by its shape and arithmetic. */
export declare const PATTERNS: readonly ['ssn', 'card', 'iban', 'bank_account'];
export type PatternKind = (typeof PATTERNS)[number];
/** A place in a text, from `start` up to `end`. */
export interface Span {
    readonly start: number;
    readonly end: number;
}
export interface PatternFinding extends Span {
    readonly kind: PatternKind;
}
export declare const overlaps: (one: Span, other: Span) => boolean;
