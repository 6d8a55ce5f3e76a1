/** Where a folder lies: what is mounted into it lies elsewhere. */
export interface Mounted {
    readonly by: 'mount' | 'device';
    readonly id: string;
}
export type OwnFile = {
    readonly kind: 'read';
    readonly bytes: Buffer;
} | {
    readonly kind: 'large';
    readonly size: number;
}
/** Somebody else's, by whatever name it stands here. */
 | {
    readonly kind: 'elsewhere';
    readonly why: string;
    readonly fix: string;
};
/**
 * What a folder is told from other mounts by. Devices do not tell mounts of one disk apart, and layers of a container
 * have several in one mount, so they count only where the system has no numbers of mounts.
 *
 * @param folder a real path
 */
export declare function mountOf(folder: string): Promise<Mounted>;
/**
 * Reads a file of a folder, where it is the folder's alone. One with a second name (a hard link) may be anybody's: where the others stand cannot be
 * seen. What is mounted into the folder lies elsewhere, as what a link leads to does. Looked at and read is one open file, so that
 * nothing can be put in its place in between.
 *
 * @param root of the folder, by {@link mountOf}; `undefined`: wherever it lies
 * @param file a real path in it
 * @param most bytes
 * @returns throws what `open` and `read` throw
 */
export declare function readOwnFile(root: Mounted | undefined, file: string, most: number, signal?: AbortSignal): Promise<OwnFile>;
/** Whether something is mounted differently from the folder that it should be a part of. */
export declare const isElsewhere: (root: Mounted, there: Mounted) => boolean;
