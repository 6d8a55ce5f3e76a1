import type { HousekeepingOptions } from './housekeeping.ts';
import type { FolderRecord } from './record.ts';
/** Notes how far the database has come, soon after there was something to note. */
export declare class Recorder {
    #private;
    constructor(record: FolderRecord, { turns, engine, log, life }: Omit<HousekeepingOptions, 'record'>);
    /** A statement was run. */
    count(): void;
}
