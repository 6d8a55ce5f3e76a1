/**
 * A block of code that every reader takes for one: fenced, not indented, behind an empty line. HTML in it is shown and
 * not obeyed.
 */
export declare class CodeBlock {
    #private;
    private constructor();
    /** @param before what stands before the place @returns the block and where its text begins; `wait`: its line has not ended */
    static at(text: string, place: number, before: string, over: boolean): {
        readonly block: CodeBlock;
        readonly from: number;
    } | 'wait' | undefined;
    /** Up to where a text is of the block, and whether the block ends there. */
    upto(text: string, from: number, over: boolean): {
        readonly at: number;
        readonly ended: boolean;
    };
}
