/** An object's fields, or none. */
export declare const fieldsOf: (value: unknown) => Readonly<Record<string, unknown>>;
export declare const listOf: (value: unknown) => readonly unknown[];
/** A text, or the texts of a list of parts. */
export declare const textsOf: (value: unknown) => string;
