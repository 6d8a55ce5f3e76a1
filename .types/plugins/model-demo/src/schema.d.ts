/** A parameter of a tool, as far as a value can be found for it in a message. */
export interface Field {
    readonly name: string;
    readonly kind: 'string' | 'number' | 'boolean' | 'array' | 'object' | 'any';
    readonly required: boolean;
    readonly integer: boolean;
    readonly description: string;
    /** The values allowed, where they are listed. */
    readonly values: readonly string[];
    readonly format: string | undefined;
    readonly min: number | undefined;
    readonly max: number | undefined;
    readonly hasDefault: boolean;
    /** Of an object. */
    readonly fields: readonly Field[];
    /** Of an array. */
    readonly item: Field | undefined;
}
/** The parameters in a JSON Schema of an object. */
export declare function readFields(schema: unknown): readonly Field[];
