import { type Failure, type Logger, type Result } from '@amodal/sdk';
import { type MigrationLists } from '@amodal/sdk/database';
import { Engine } from './engine.ts';
export declare const MEMORY = "memory://";
/** How a database came to be open. */
export type Origin = 'folder' | 'image' | 'initdb';
export interface Opened {
    readonly engine: Engine;
    readonly origin: Origin;
}
export interface OpenOptions {
    /** A folder, or {@link MEMORY}. */
    readonly dataDir: string;
    /** `false` once it has been open: a folder that is empty by then has lost its database. */
    readonly mayCreate: boolean;
    /** Instead of those of this package. */
    readonly image: string | undefined;
    /** What will be asked of the database: an image that was prepared for an older release may do, or not. */
    readonly migrations: MigrationLists;
    readonly heard: (channel: string, payload: string) => void;
    readonly log: Logger;
}
/**
 * Opens a folder that is locked already, or a database in memory. A new one starts from an image, a tenth of the
 * time of `initdb`; where none can be read, `initdb` it is. Only an empty folder becomes a new one.
 */
export declare function openDatabase(options: OpenOptions): Promise<Result<Opened, Failure>>;
