/**
 * A Postgres server, through a pool of connections.
 *
 * @example
 * use(dbPostgres, { url: 'env:DATABASE_URL', max: 20 })
 */
export declare const dbPostgres: import("@amodal/sdk").Plugin;
export default dbPostgres;
