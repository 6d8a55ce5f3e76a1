import type { Row } from '../ports/database.ts';
/** Every parameter of a statement as the wire takes it. Throws {@link DatabaseError} (SQLSTATE 22023) for a value that is none. */
export declare function encodeAll(parameters: readonly unknown[]): (string | null)[];
/**
 * A parameter as Postgres reads it: text, or `null`. One rule for both databases: strings, numbers and booleans
 * as they are, dates in ISO 8601, bytes in hex, arrays as Postgres arrays, every other object as JSON.
 * A JSON array or a JSON string is therefore given as `JSON.stringify(value)`.
 */
export declare function encodeValue(value: unknown): string | null;
type Decoder = (text: string) => unknown;
/** How the rows of one statement look. */
export interface Shape {
    readonly names: readonly string[];
    readonly decoders: readonly Decoder[];
}
export declare function shapeOf(fields: readonly {
    readonly name: string;
    readonly dataTypeID: number;
}[]): Shape;
export declare function decodeRow({ names, decoders }: Shape, fields: readonly (string | null)[]): Row;
export {};
