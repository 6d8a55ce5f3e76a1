import type { Found } from './leaks.ts';
/** Characters on either side of a name in which its entity may be named. */
export declare const CONTEXT = 100;
/** Those that count: names only where the text around speaks of their entity, by its word, by the field, or by another value of it. */
export declare function confirmed(text: string, found: readonly Found[]): readonly Found[];
/** `first_name`, `firstName`, `First Name` → `first`, `name`. */
export declare const wordsOf: (name: string) => readonly string[];
