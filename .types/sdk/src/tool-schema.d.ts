import { type Failure, type JsonObject, type Result } from '@amodal/kernel';
/**
 * Makes the JSON Schema that a model is shown for a tool's parameters: from Zod 4, from Zod 3 (another copy of the
 * library in a plugin's own dependencies), or from JSON Schema, which is taken as it stands.
 * Objects from Zod get `additionalProperties: false` unless the schema says otherwise.
 *
 * @returns the schema; `TOOL_SCHEMA` where it describes no object or cannot be written as JSON Schema, because
 *   an empty schema would let the model send anything
 * @example
 * const parameters = toolSchema(z.object({ city: z.string().describe('such as Lisbon') }))
 * @see https://json-schema.org/draft/2020-12
 */
export declare function toolSchema(schema: object): Result<JsonObject, Failure>;
