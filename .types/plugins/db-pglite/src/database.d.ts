import { type MigrationLists } from '@amodal/sdk/database';
import { type Database, type Failure, type Logger, type Result, type Row, type Statement } from '@amodal/sdk';
import type { Opened } from './opening.ts';
import type { FolderRecord } from './record.ts';
export interface PgliteOptions {
    /** Opens the database; called again where it broke. */
    readonly open: (heard: (channel: string, payload: string) => void) => Promise<Result<Opened, Failure>>;
    /** Of the folder, which survives what happens to PGlite; none for a database in memory. */
    readonly record: FolderRecord | undefined;
    /** The migrations of the current wiring: the same map until it changes. */
    readonly migrations: () => MigrationLists;
    readonly log: Logger;
}
type Rows = Result<readonly Row[], Failure>;
/**
 * The Database slot on PGlite. It begins to open when told to, and every statement waits for that; what went wrong
 * shows in each statement's failure and in `ready()`. A statement that has begun cannot be interrupted: an abort
 * or a deadline takes effect while it waits for its turn, and between the statements of a transaction.
 */
export declare class PgliteDatabase implements Database {
    #private;
    readonly dialect = "pglite";
    readonly exclusive = true;
    constructor(options: PgliteOptions);
    /** Begins to open, without waiting for it. */
    start(): void;
    run(statement: Statement, signal: AbortSignal): Promise<Rows>;
    transaction<T>(work: (run: (statement: Statement) => Promise<readonly Row[]>) => Promise<T>, signal: AbortSignal): Promise<Result<T, Failure>>;
    listen(channel: string, heard: (payload: string) => void): () => void;
    notify(channel: string, payload: string, signal: AbortSignal): Promise<Result<void, Failure>>;
    purge(tables: readonly string[], signal: AbortSignal): Promise<Result<void, Failure>>;
    ready(): {
        readonly ready: boolean;
        readonly problem?: Failure;
    };
    /** Lets what has begun end, then closes the folder. */
    close(): Promise<void>;
}
export {};
