import { type Failure, type Result } from '@amodal/sdk';
/** What this plugin notes of a database beside it: where one of these is, there was a database. */
export declare const PROGRESS = "amodal.progress.json";
export declare const MANIFEST = "amodal.files.json";
export declare const DAMAGE = "amodal.damage.json";
/** `version`: the major version of Postgres that made the database. */
export type FolderState = {
    readonly kind: 'empty';
} | {
    readonly kind: 'database';
    readonly version: string;
};
/**
 * What a folder holds. Only an empty or absent folder may be initialised: one that holds files and is no database has
 * been one, and is `DATABASE_DAMAGED`. An initialisation that was interrupted once its files were complete is completed.
 */
export declare function folderState(folder: string): Result<FolderState, Failure>;
/**
 * Initialises an empty folder. The files are written beside their place and moved when they are complete, `PG_VERSION`
 * last: a process that dies meanwhile leaves a folder that the next start recognises.
 *
 * @param fill writes a whole database into the folder it is given
 */
export declare function initialise(folder: string, fill: (into: string) => Promise<void>): Promise<void>;
/**
 * @param what each in words
 * @param more.orElse a further way out
 */
export declare function damaged(folder: string, what: readonly string[], { cause, orElse }?: {
    readonly cause?: unknown;
    readonly orElse?: string;
}): Failure;
