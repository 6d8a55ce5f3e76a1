import { type Token } from './word.ts';
/** Something that a person asks for: a verb, and the words around it that are about it. */
export interface Clause {
    readonly verb: string;
    readonly words: readonly string[];
    readonly text: string;
    readonly hasPronoun: boolean;
}
/** What a person says, taken apart. */
export interface Said {
    readonly tokens: readonly Token[];
    readonly clauses: readonly Clause[];
}
/** Finds what a text asks for. A verb that is negated, or asked about, asks for nothing. */
export declare function saidIn(text: string): Said;
/** Whether a word, in any of its forms, is among others. */
export declare const hasWord: (words: readonly string[], wanted: string) => boolean;
