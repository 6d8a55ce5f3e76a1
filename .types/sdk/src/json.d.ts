import type { Json, JsonObject } from '@amodal/kernel';
export declare function isObject(value: Json | undefined): value is JsonObject;
export declare function isList(value: Json | undefined): value is readonly Json[];
/**
 * A value with every text in it changed, at any depth; the same value where nothing changes, so that most cost no copy.
 *
 * @param names the names of fields are changed too
 * @example mapTexts({ a: ['x', 1] }, (text) => text.toUpperCase()) // { a: ['X', 1] }
 */
export declare function mapTexts(value: JsonObject, change: (text: string) => string, names?: boolean): JsonObject;
export declare function mapTexts(value: Json, change: (text: string) => string, names?: boolean): Json;
