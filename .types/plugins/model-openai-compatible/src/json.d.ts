export declare function isRecord(value: unknown): value is Readonly<Record<string, unknown>>;
/** A text with something in it. */
export declare function textOf(value: unknown): string | undefined;
export declare function numberOf(value: unknown): number | undefined;
/** The value of a JSON text, or `undefined` where it is none. */
export declare function parseJson(text: string): unknown;
