import { Pool } from 'pg';
import { type MigrationLists } from '@amodal/sdk/database';
import { type Database, type Failure, type Logger, type Result, type Row, type Statement } from '@amodal/sdk';
import { type Address } from './address.ts';
export interface PostgresOptions {
    /** Asked when the first connection is made: before, the secrets may not be there. */
    readonly address: () => Result<Address, Failure>;
    /** Somebody else's: connections are borrowed from it, and it is neither changed nor closed. */
    readonly pool?: Pool | undefined;
    /** Connections at most. */
    readonly max: number;
    /** ms a statement may take. */
    readonly statementTimeoutMs: number;
    /** ms to wait for a connection, a new one or one of the pool. */
    readonly connectTimeoutMs: number;
    /** Off behind a pooler that cannot LISTEN: everything then goes by polling. */
    readonly listen: boolean;
    /** Off behind a pooler that cannot keep prepared statements. */
    readonly prepare: boolean;
    /** The migrations of the current wiring: the same map until it changes. */
    readonly migrations: () => MigrationLists;
    readonly log: Logger;
}
type Rows = Result<readonly Row[], Failure>;
/**
 * The Database slot on a Postgres server: a pool of connections, each with its prepared statements. A connection that
 * breaks is replaced; what it carried is in doubt and never repeated here, since only the caller knows its key.
 */
export declare class PostgresDatabase implements Database {
    #private;
    readonly dialect = "postgres";
    readonly exclusive = false;
    constructor(options: PostgresOptions);
    /** Connects and migrates. An `Err` says why the database cannot be used. */
    open(signal: AbortSignal): Promise<Result<void, Failure>>;
    run(statement: Statement, signal: AbortSignal): Promise<Rows>;
    transaction<T>(work: (run: (statement: Statement) => Promise<readonly Row[]>) => Promise<T>, signal: AbortSignal): Promise<Result<T, Failure>>;
    listen(channel: string, heard: (payload: string) => void): () => void;
    notify(channel: string, payload: string, signal: AbortSignal): Promise<Result<void, Failure>>;
    purge(tables: readonly string[], signal: AbortSignal): Promise<Result<void, Failure>>;
    ready(): {
        readonly ready: boolean;
        readonly problem?: Failure;
    };
    /** Lets what has begun end, then closes every connection. */
    close(): Promise<void>;
}
export {};
