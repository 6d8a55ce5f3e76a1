export { MANIFEST_FIELDS } from './manifest.ts';
export { loadBundle, type LoadFailure, type LoadOptions } from './load.ts';
/** Loads the agent folder into an immutable bundle; `amodal init` makes one, `validate` checks it, `build-manifest-types` types it. */
export declare const repoFiles: import("@amodal/sdk").Plugin;
export default repoFiles;
