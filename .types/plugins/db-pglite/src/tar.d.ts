/** `whole`: the entry as it stands in the archive, with its header and padding. */
export type TarEntry = {
    readonly path: string;
    readonly whole: Uint8Array;
} & ({
    readonly kind: 'folder';
} | {
    readonly kind: 'file';
    readonly body: Uint8Array;
});
/**
 * Reads the entries of a ustar archive (POSIX.1-1988), as PGlite writes it: files and folders, names up to 255 bytes.
 * Throws on an archive that is cut off, and on a path that leads out of it.
 */
export declare function tarEntries(tar: Uint8Array): Generator<TarEntry>;
/** The archive with those entries alone that are wanted. */
export declare function tarOf(entries: Iterable<TarEntry>, wanted: (path: string) => boolean): Uint8Array;
