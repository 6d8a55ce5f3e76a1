/**
 * Finds any of many words in a text in one pass (Aho and Corasick, "Efficient string matching", 1975), so that the
 * time is that of the text's length (and of the letters that words are made of), whatever the number of words.
 */
export declare class Masker {
    #private;
    constructor(words: Iterable<string>);
    /** The text with every word in it replaced by `[MASKED]`; the same string where there is none. */
    mask(text: string): string;
    /** Up to where a text that goes on can be masked: what stands behind may be the beginning of a word. */
    settled(text: string): number;
}
