import { type BundleFile, type JsonObject, type StoreDefinition } from '@amodal/sdk';
import { type Issues } from '@amodal/sdk/files';
/** Reads the documents that a store begins with. One that does not fit its schema is left out. */
export declare function readSeed(source: BundleFile, store: StoreDefinition, issues: Issues): readonly JsonObject[];
