import type { PoolOptions } from 'pg';
import { type Failure, type Result } from '@amodal/sdk';
/** Where a database is, in words that may be shown: never with the user's password. */
export interface Address {
    readonly url: string;
    /** `host:port/database`. */
    readonly shown: string;
}
/** Reads `postgres://user:password@host:port/database`. The failure does not repeat the text, which may hold a password. */
export declare function parseAddress(url: string): Result<Address, Failure>;
/** Where the connections of a pool lead. */
export declare function addressOfPool({ connectionString, host, port, database }: Pick<PoolOptions, 'connectionString' | 'host' | 'port' | 'database'>): Address;
