import { type Json, type JsonObject } from '@amodal/sdk';
import type { Place, Understood } from './understood.ts';
/** A table as data: its columns by name, its rows as lists. */
export declare const tableOf: (columns: readonly string[], rows: readonly (readonly Json[])[]) => Json;
export declare const rowsOf: (table: Json) => readonly (readonly Json[])[];
/** The same of a value that may be one. */
export declare function tableIn(value: JsonObject): {
    readonly columns: readonly string[];
    readonly rows: readonly (readonly Json[])[];
} | undefined;
export declare const cellText: (cell: Json) => string;
/** Values parted by commas, tabs, semicolons or bars, under a row that names them. */
export declare function readSeparated(text: string, { isRestricted }: Place): Understood | undefined;
/** A table drawn with bars: of Markdown, or of a command line. */
export declare function readDrawn(text: string, { isRestricted }: Place): Understood | undefined;
