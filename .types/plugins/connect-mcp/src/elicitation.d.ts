import { type Json, type JsonObject } from '@amodal/sdk';
/** What a server wants to know of a person before it goes on with a call. */
export interface Elicitation {
    /** The same question has the same key, so that an answer finds the question when it is asked again. */
    readonly key: string;
    readonly message: string;
    readonly fields: readonly Field[];
}
export interface Field {
    readonly name: string;
    readonly title: string;
    readonly required: boolean;
    readonly type: 'string' | 'number' | 'integer' | 'boolean' | 'array';
    readonly options: readonly {
        readonly value: string;
        readonly label: string;
    }[];
    /** Sent where the person leaves the field as it is. */
    readonly default?: FieldValue;
    /** Type and constraints, as JSON Schema. */
    readonly schema: JsonObject;
}
export type FieldValue = string | number | boolean | readonly string[];
export interface ElicitationAnswer {
    readonly action: 'accept' | 'decline' | 'cancel';
    readonly content?: Record<string, string | number | boolean | string[]>;
}
/** Which of the three the person means; no field of a server is called so. */
export declare const ACTION = "_action";
/** Reads what a server sent. */
export declare function elicitationOf(params: {
    readonly message: string;
    readonly requestedSchema?: unknown;
}): Elicitation;
export declare const isFieldValue: (value: Json | undefined) => value is string | number | boolean | string[];
/** Part of a message that was JSON on the wire. */
export declare function jsonObject(value: unknown): JsonObject;
