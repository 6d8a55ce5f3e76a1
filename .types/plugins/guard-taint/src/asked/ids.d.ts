import type { Token } from './word.ts';
/**
 * Whether a person named an id that is a plain number: contact 42, #42, 42 where contacts are spoken of. A number that counts
 * something (42 euros, 42 seats), or names something else (order 42), is no contact.
 *
 * @param nouns what the id is of, by the names that stand around it in the call
 */
export declare function isNamedId(id: string, nouns: readonly string[], texts: readonly (readonly Token[])[]): boolean;
/** What an id is of: the part of the path before it, or the words of its field. */
export declare function nounsOf(field: string, path: readonly string[], value: string): readonly string[];
