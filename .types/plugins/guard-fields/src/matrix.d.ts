import { type FieldRestriction, type Json } from '@amodal/sdk';
import type { Found } from './fields.ts';
import type { Header } from './headers.ts';
/** What is known of the cells of a table: which columns and which rows are restricted. */
export interface Plan {
    readonly columns: ReadonlyMap<number, FieldRestriction>;
    readonly rows: ReadonlyMap<number, FieldRestriction>;
    /** The first row, or the first cell of each, holds names. */
    readonly head: boolean;
}
/** The cells of a row: a list, or an object that is no more than one. */
export declare function cellsOf(row: Json): readonly Json[] | undefined;
/** Rows of lists, where a list is that; `undefined` where it is another one. */
export declare function rowsIn(list: readonly Json[]): readonly (readonly Json[])[] | undefined;
/**
 * What the columns and rows of a table hold.
 *
 * @param headers lists of the answer that may name columns
 * @param field stem of the field that the table stands in
 * @returns `undefined` where nothing says it
 */
export declare function planOf(rows: readonly (readonly Json[])[], headers: readonly Header[], field: string, named: (name: string) => Found | undefined): Plan | undefined;
