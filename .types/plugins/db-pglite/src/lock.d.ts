import { type Failure, type Result } from '@amodal/sdk';
/** What a holder writes beside the lock, for whoever meets it. */
export interface LockHolder {
    readonly pid: number;
    readonly host: string;
    /** Where its server listens, if it says so. */
    readonly address?: string;
    /** ISO 8601. */
    readonly startedAt: string;
}
/** A data folder that this process alone may open. */
export interface FolderLock {
    release(): Promise<void>;
}
/**
 * Takes a folder for this process, or fails at once: `DATABASE_LOCKED` names who holds it, `UNREADABLE` a folder
 * that cannot be written. There are two locks, and the operating system frees both when the process dies: SQLite's lock
 * on a file, which also holds between containers that share the folder, and on Linux a lock on the folder itself, which
 * holds when somebody has removed that file. Nothing else may open the lock file in this process: closing it would drop
 * the lock.
 */
export declare function lockFolder(folder: string, address: string | undefined): Promise<Result<FolderLock, Failure>>;
