export type Row = Readonly<Record<string, unknown>>;
export interface Rows {
    readonly rows: readonly Row[]; /** How many there are in all, where the result says so. */
    readonly total: number | undefined;
}
/** The list of records in a result, wherever it stands; `undefined` where it is no list. */
export declare function rowsOf(value: unknown): Rows | undefined;
/** A record that wraps another one is shown as the inner one, with its key. */
export declare function flatten(value: unknown): Row;
/** Rows as a Markdown table. */
export declare function tableOf(rows: readonly Row[]): string;
/** A record as a list of its fields. */
export declare function fieldsOf(row: Row): string;
export declare function cellOf(value: unknown): string;
