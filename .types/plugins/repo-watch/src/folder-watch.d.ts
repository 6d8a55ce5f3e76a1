export interface WatchListener {
    /** @param path relative to the root, with `/`; left out where the system does not say */
    changed(path: string | undefined): void;
    /** The system cannot watch, or cannot watch any more. */
    failed(cause: unknown): void;
}
/**
 * Watches folders rather than files, so that a file an editor replaces by renaming another is a change like any other.
 * A folder that is new is watched once `follow` has seen it.
 */
export declare class FolderWatch {
    #private;
    /** @param places files and folders of the root that count */
    constructor(root: string, places: readonly string[], listener: WatchListener);
    /** Folders that are watched. */
    get size(): number;
    /** Watches the folders that are there now, and no others. */
    follow(): Promise<void>;
    close(): void;
}
/** Files and folders that begin with a dot belong to other programs, but for those that are named. */
export declare function counts(path: string, places: ReadonlySet<string>): boolean;
export declare const isForeign: (name: string) => boolean;
