import { type Json } from '@amodal/sdk';
/** What a yes or no means that was given as a word; `undefined` where it is neither. */
export declare function decided(value: unknown): boolean | undefined;
/**
 * An answer in the type that its question asks for: clients with nothing but a text field send `"yes"`, `"12"`, the
 * label of an option, or one option where several may be chosen. What does not fit stays as it is, and is refused.
 */
export declare function fitted(schema: Json | undefined, value: Json): Json;
