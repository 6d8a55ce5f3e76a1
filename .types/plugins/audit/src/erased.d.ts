import { type Json, type JsonObject } from '@amodal/sdk';
/** The kind of the line that says which lines of a chain were emptied. */
export declare const ERASURE = "erasure";
/** The key of a line whose text was taken away. */
export declare const erasedKey: (n: number) => string;
/** Binds an erasure to the lines that it emptied: their numbers and hashes stay. */
export declare const digestOf: (lines: readonly {
    readonly n: number;
    readonly hash: string;
}[]) => string;
/** What the line of an erasure says. */
export declare function erasureData(lines: readonly {
    readonly n: number;
    readonly hash: string;
}[]): JsonObject;
/** The lines that an erasure names, and what they must come to; `undefined` where it does not say. */
export declare function readErasure(data: Json | undefined): {
    readonly ns: readonly number[];
    readonly digest: string;
} | undefined;
