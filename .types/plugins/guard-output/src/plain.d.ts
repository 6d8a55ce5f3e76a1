/** A text as scanners read it, and where each of its characters stands in the original. */
export interface Plain {
    readonly text: string;
    /** The place in the original; `at(text.length)` is its end. */
    readonly at: (index: number) => number;
    /** The place in the original behind a character. */
    readonly behind: (index: number) => number;
}
/**
 * Every kind of dash, space and digit made one, full-width characters made ASCII, what is not seen and markup between
 * digits left out. Texts of ASCII, the usual case, are read as they stand.
 */
export declare function plainOf(original: string): Plain;
