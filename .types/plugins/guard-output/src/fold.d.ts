/** The letters and digits of a text, each in its plainest form, and where each of them stands. */
export interface Folded {
    readonly chars: string;
    /** Of each UTF-16 unit of `chars`: its first place in the text, and the place behind it. */
    readonly starts: readonly number[];
    readonly ends: readonly number[];
}
/**
 * Leaves case, spaces, punctuation, marks and invisible characters aside, and makes full-width, decorated and
 * look-alike characters plain.
 *
 * @example
 * fold('C\u0430fé ①').chars // 'cafe1'
 */
export declare const fold: (text: string) => Folded;
/** A digit of any script: they stand in Unicode in tens, and begin with zero. */
export declare function digitOf(char: string): string;
