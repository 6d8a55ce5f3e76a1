import type { BundleFile, StoreDefinition } from '@amodal/sdk';
import { type Issues } from '@amodal/sdk/files';
export declare const isStoreFile: (path: string) => boolean;
/** Reads the definitions below `stores/` with their seed documents; one that does not fit is left out. */
export declare function readStores(files: readonly BundleFile[], issues: Issues): readonly StoreDefinition[];
