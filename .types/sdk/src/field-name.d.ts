/**
 * The name of a field, entity or parameter as names are compared: without regard to case and Unicode form, in every
 * language alike. Two names are one where their keys are equal; a dotless ı is no i.
 *
 * @example nameKey('ＡＭＯＵＮＴ') === nameKey('amount') // true
 */
export declare function nameKey(name: string): string;
/**
 * What a name looks like: its key without marks, with letters of other alphabets as the Latin ones they look like.
 * Names that only look alike are not the same, and nobody can tell which of them is meant.
 *
 * @example plainLetters('аmóunt') // 'amount', whose first letter was Cyrillic
 */
export declare function plainLetters(name: string): string;
/** Whether a name mixes Latin letters with such as look like them, so that what is read is not what is written. */
export declare const isAmbiguousName: (name: string) => boolean;
