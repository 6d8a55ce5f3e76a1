export declare function isRecord(value: unknown): value is Readonly<Record<string, unknown>>;
export declare function isList(value: unknown): value is readonly unknown[];
/** The value of a JSON text; any other text is itself. */
export declare function parsed(text: string): unknown;
