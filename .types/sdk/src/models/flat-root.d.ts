import type { JsonObject } from '@amodal/kernel';
export interface FlatRoot {
    readonly schema: JsonObject;
    readonly hints: readonly string[];
}
type Resolve = (ref: string) => JsonObject | undefined;
/**
 * An object schema without a choice at its root: the properties of all alternatives together, those that all of them need
 * as required, and which belong together in words. `undefined` where it describes no object.
 */
export declare function flatRoot(schema: JsonObject, resolve: Resolve, depth?: number): FlatRoot | undefined;
export {};
