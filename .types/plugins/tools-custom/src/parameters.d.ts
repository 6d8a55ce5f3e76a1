import { type JsonObject, type Result } from '@amodal/sdk';
/** Checks arguments and fills in their defaults; the error is for the model. */
export type Check = (args: JsonObject) => Result<JsonObject, string>;
/** The parameters as a model is shown them: an object, also where nothing is said. */
export declare function parametersOf(given: JsonObject): Result<JsonObject, string>;
/**
 * Makes a check from a JSON Schema: draft 2020-12, or draft-07 where `$schema` says so.
 *
 * @returns why the schema cannot be used
 * @see https://json-schema.org/draft/2020-12
 */
export declare function checkOf(parameters: JsonObject): Result<Check, string>;
