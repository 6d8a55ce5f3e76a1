/**
 * Embedded Postgres in the process, in a folder that this process alone may open.
 *
 * @example
 * use(dbPglite, { dataDir: '.amodal/store-data' })
 */
export declare const dbPglite: import("@amodal/sdk").Plugin;
export { prepareImage } from './prepare.ts';
export default dbPglite;
