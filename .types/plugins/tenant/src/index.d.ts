/**
 * Says whose data a request is about: its credential's, or that of the `scope_id` it names.
 *
 * @example
 * use(tenant, { requireScope: true, sessions: 'principal' })
 */
export declare const tenant: import("@amodal/sdk").Plugin;
export default tenant;
