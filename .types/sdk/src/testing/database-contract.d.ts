import { type Entry } from '@amodal/kernel';
/** A fresh, empty database, and how to reach it again and again. */
export interface DatabaseUnderTest {
    /** Plugins that provide Database and TenantDatabase; booted several times, one after the other, on the same data. */
    readonly entries: readonly Entry[];
    /** Throws the data away. */
    readonly remove: () => Promise<void>;
}
/**
 * The behaviour that every provider of the Database slot shows: values, transactions, failures, NOTIFY, migrations
 * and the wall between tenants.
 *
 * @param make called once per group of tests
 * @example
 * databaseContract('db-pglite', async () => ({ entries: [use(dbPglite, { dataDir: folder })], remove: () => rm(folder, { recursive: true }) }))
 */
export declare function databaseContract(name: string, make: () => Promise<DatabaseUnderTest>): void;
