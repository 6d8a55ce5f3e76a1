import { type StoreDefinition, type StoreFilter } from '@amodal/sdk';
/** Collects parameters while a statement is written; names of fields are parameters too. */
export declare class Parameters {
    readonly values: unknown[];
    add(value: unknown): string;
}
/** The columns of `stores_database_value`. */
export type Column = 'text' | 'number' | 'flag' | 'moment';
/** A field as it is looked for: the names that lead to it, and the column of its values. Lists and objects have none. */
export interface Found {
    readonly path: readonly string[];
    readonly column: Column | undefined;
}
export declare function fieldOf(store: StoreDefinition, name: string): Found;
/** How the index spells a field. */
export declare const indexName: (path: readonly string[]) => string;
/**
 * The field of a document as a value of its own type, so that 9 sorts before 10. A document from before the schema
 * changed may hold something else there: that is nothing then, and never an error that keeps all others away.
 */
export declare function typed({ path, column }: Found, parameters: Parameters): string;
/** Whether a document meets a condition, as SQL over `payload`: for every filter there is, without an index. */
export declare function condition(store: StoreDefinition, { field, op, value }: StoreFilter, parameters: Parameters): string;
/** The same as SQL over a row of `stores_database_value`; `undefined` where the index cannot say. */
export declare function indexed(store: StoreDefinition, { field, op, value }: StoreFilter, parameters: Parameters): string | undefined;
