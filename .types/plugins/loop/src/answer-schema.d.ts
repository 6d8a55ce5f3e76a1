import { type JsonObject } from '@amodal/sdk';
/** Where an answer does not fit keywords such as `pattern`, `format` and `minItems`, and why. A schema that cannot be used says nothing. */
export declare function misfitOfSchema(schema: JsonObject, answer: JsonObject): string | undefined;
