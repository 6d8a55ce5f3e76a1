export { normalText as normal } from '@amodal/sdk';
export declare const WORD: RegExp;
/** The words of a normal text, each once. */
export declare function wordsOf(text: string): ReadonlySet<string>;
/** The numbers of a normal text, as `String` writes them. One that can be read in two ways (`1.200`) counts as both. */
export declare function numbersOf(text: string): ReadonlySet<string>;
/** The number that a text is as a whole, such as `1,200.00`. */
export declare function numberIn(text: string): string | undefined;
/** Numbers of phones, cards and accounts, which people write in groups: without what parts them. */
export declare function groupedOf(text: string): ReadonlySet<string>;
export declare const compact: (text: string) => string;
