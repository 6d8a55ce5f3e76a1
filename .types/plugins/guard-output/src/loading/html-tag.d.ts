/** One tag of a text, read as the HTML standard's tokenizer reads it. */
export interface HtmlTag {
    readonly name: string;
    readonly attributes: readonly HtmlAttribute[];
    /** Whether its `>` was found. */
    readonly closed: boolean;
    /** Whether it is a tag or an address for CommonMark, too. What is not is read no further. */
    readonly wellFormed: boolean;
}
export interface HtmlAttribute {
    readonly name: string;
    readonly value: string;
}
/**
 * @param at where its name begins, behind the `<`
 * @param upto where reading ends if the tag does not
 */
export declare function readTag(text: string, at: number, upto: number): HtmlTag;
