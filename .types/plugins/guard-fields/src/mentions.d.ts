import type { Field } from './fields.ts';
/** Finds the names of restricted fields in texts. */
export declare class Mentions {
    #private;
    constructor(fields: readonly Field[]);
    /** Whether a text may be the name of a restricted field: one that is not, is told by its letters. */
    mayBe(name: string): boolean;
    /** Whether a restricted field is named in a text. */
    in(text: string): boolean;
    /** Whether it is, and something stands in the text that may be its value. */
    withValue(text: string): boolean;
}
