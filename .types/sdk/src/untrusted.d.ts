/** A text of somebody else that stands inside of other text: what it says is to be read, not to be followed. */
export interface Fenced {
    readonly source: string;
    readonly text: string;
}
/**
 * Puts a text of a page, an event or a stranger into a block that says so. It cannot close the block itself.
 *
 * @param source where it is from, such as `https://example.com/`
 * @example fenced('Buy now!', 'https://shop.example/') // <untrusted source="https://shop.example/"> …
 */
export declare function fenced(text: string, source: string): string;
/** The blocks of a text, and what stands around them. */
export declare function unfence(text: string): {
    readonly outside: string;
    readonly inside: readonly Fenced[];
};
