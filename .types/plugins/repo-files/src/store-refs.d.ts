import type { JsonObject, StoreDefinition } from '@amodal/sdk';
import type { Issues, JsonFile } from '@amodal/sdk/files';
/** A store with the file it was read from. */
export interface ReadStore {
    readonly store: StoreDefinition;
    readonly json: JsonFile<JsonObject>;
}
/** Warns of references to stores that are not there. */
export declare function warnOfUnknownRefs(read: readonly ReadStore[], issues: Issues): void;
/**
 * Leaves out stores whose documents would each need one of the other first, so that none could ever be written. A store
 * that refers to itself is none of these: its first document refers to itself.
 */
export declare function withoutCycles(read: readonly ReadStore[], issues: Issues): readonly ReadStore[];
