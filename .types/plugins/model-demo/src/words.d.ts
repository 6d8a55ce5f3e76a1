/** The words of a text, in lower case. */
export declare function wordsOf(text: string): readonly string[];
/** The words of an identifier: `dueDate`, `due_date` and `due-date` are the same two. */
export declare function identifierWords(name: string): readonly string[];
/**
 * The part of a word that does not change with number and tense. Crude, but the same on both sides
 * of a comparison, which is all that counts here.
 */
export declare function stem(word: string): string;
export declare const stemsOf: (text: string) => readonly string[];
/** Stems that carry meaning, each once, in order. */
export declare function subjectsOf(text: string): readonly string[];
/** Every stem that carries meaning, and each two neighbours as one, so that "on call" finds `oncall`. */
export declare function mentionsOf(text: string): ReadonlySet<string>;
/** Whether all words of a name occur, as far as they carry meaning. */
export declare function mentions(known: ReadonlySet<string>, name: string): boolean;
