import { type Json } from '@amodal/sdk';
/** Names of columns, as a list somewhere in an answer gives them; each may be spelled in several ways. */
export interface Header {
    readonly names: readonly (readonly string[])[];
    /** It says itself that it names columns, so that a table below it is understood. */
    readonly sure: boolean;
    readonly list: Json;
}
/** All lists of an answer that may name the columns of its tables. Only answers that have lists of lists, or rows of lists, need them. */
export declare function headersIn(root: Json, isRestricted: (name: string) => boolean): readonly Header[];
