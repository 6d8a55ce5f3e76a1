import type { Issues, Mounted } from '@amodal/sdk/files';
/** Where a walk goes and whom it tells. `root` is a real path. */
export interface Walk {
    readonly root: string;
    readonly mounted: Mounted;
    readonly issues: Issues;
    readonly signal: AbortSignal;
}
/** A file below the root: its path as written, with `/`, and the real one it is read from. */
export interface Found {
    readonly path: string;
    readonly real: string;
    readonly kind: 'file' | 'folder';
}
/** What stands at a path once links are followed; `undefined` where there is nothing that may be read. */
export declare function find(walk: Walk, path: string): Promise<Found | undefined>;
/** The files below a folder. `above` holds the real paths on the way down: a link cannot lead in a circle. */
export declare function list(walk: Walk, folder: string): Promise<readonly Found[]>;
/** The system's word for it (`EACCES`), without the machine's paths. */
export declare function reasonOf(cause: unknown): string;
export declare const isMissing: (cause: unknown) => boolean;
