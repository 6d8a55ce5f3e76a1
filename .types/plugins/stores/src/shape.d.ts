import { type Json, type JsonObject, type StoreDefinition, type StoreField } from '@amodal/sdk';
/** Tool names use `_`, store names `-`. */
export declare const toolName: (store: StoreDefinition) => string;
type ObjectSchema = {
    readonly type: 'object';
    readonly properties: JsonObject;
    readonly required: readonly string[];
    readonly additionalProperties: false;
};
/** The JSON Schema of a store's documents. */
export declare const schemaOf: (store: StoreDefinition) => ObjectSchema;
/** Texts that a database keeps as they are: without U+0000, and without half of a surrogate pair. */
export declare function isStorable(value: Json): boolean;
export declare const NOT_STORABLE = "a text holds a character that cannot be stored: U+0000, or half of a surrogate pair";
/** What is wrong with a document, each with the path of its field. Empty: it may be stored. */
export declare function misfits(store: StoreDefinition, payload: JsonObject): readonly string[];
/** Why a value cannot be one of this field, its limits aside; lists and objects are not looked into. */
export declare function valueMisfit(field: StoreField, value: Json, path: string): string | undefined;
/** The key of a document by the store's template, such as `{service}:{day}`; `undefined` where a field of it is empty. */
export declare function keyOf(store: StoreDefinition, payload: JsonObject): string | undefined;
export {};
