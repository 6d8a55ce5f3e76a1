/** A word of a text, or one of its marks, with its place. */
export interface Token {
    readonly text: string;
    readonly at: number;
    readonly isWord: boolean;
}
/** A text, word by word and mark by mark, in small letters. */
export declare function tokensOf(text: string): readonly Token[];
/** The parts of a name that a program gave: `rotateAllKeys` → `rotate`, `all`, `keys`. */
export declare function partsOfName(name: string): readonly string[];
/** Whether two words are forms of one: `close` and `closed`, `invite` and `invitation`, `transfer` and `transferred`. */
export declare function isSameWord(one: string, other: string): boolean;
