import type { BundleFile } from '@amodal/sdk';
/** SHA-256 over paths and contents, sorted by path: equal folders have equal hashes, wherever they stand. */
export declare function bundleHash(files: readonly BundleFile[]): string;
