import { type Logger } from '@amodal/sdk';
import type { Engine } from './engine.ts';
import type { FolderRecord } from './record.ts';
import type { Turns } from './turns.ts';
export interface HousekeepingOptions {
    readonly turns: Turns;
    readonly engine: () => Engine | undefined;
    readonly record: FolderRecord | undefined;
    readonly log: Logger;
    readonly life: AbortSignal;
}
/**
 * Does what Postgres' background processes would do, and PGlite has none: a checkpoint before the write-ahead log
 * grows long (after a crash it is read again), and vacuum with fresh statistics for tables with many dead rows.
 * Waits for a quiet moment; under load it does not wait for ever.
 */
export declare class Housekeeping {
    #private;
    constructor({ turns, engine, record, log, life }: HousekeepingOptions);
    /** A statement was run. */
    count(): void;
}
