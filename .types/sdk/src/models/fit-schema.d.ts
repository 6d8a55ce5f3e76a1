import type { JsonObject } from '@amodal/kernel';
import type { SchemaRules } from './schema-rules.ts';
/** A schema as a provider takes it. */
export interface FittedSchema {
    /** Nothing where it describes no object. */
    readonly schema: JsonObject | undefined;
    /** What the schema cannot say any more, in words for the model. */
    readonly hints: readonly string[];
    /** What is lost, for people. */
    readonly problems: readonly string[];
}
/**
 * A schema of arguments as a provider takes it, with the same meaning as far as the provider can express it: an object with
 * properties at its root, references that lead somewhere, and no keyword that is refused. What is lost of it is checked when
 * the tool is called, against the original.
 */
export declare function fitSchema(whole: JsonObject, rules: SchemaRules): FittedSchema;
