import { z } from 'zod';
/** The image that comes with this package: a database as `initdb` makes it, without any table of ours. */
export declare const SHIPPED_IMAGE: URL;
/** The same with the tables of the plugins that were there when it was made, by `prepareImage`: where there is one, a start has nothing to migrate. */
export declare const PREPARED_IMAGE: URL;
/** What stands in the first line of an image, before the zstd-compressed tar. */
declare const ImageHeader: z.ZodObject<{
    pglite: z.ZodString;
    sha256: z.ZodString;
    bytes: z.ZodNumber;
    migrations: z.ZodReadonly<z.ZodArray<z.ZodObject<{
        plugin: z.ZodString;
        n: z.ZodNumber;
        name: z.ZodString;
        checksum: z.ZodString;
    }, z.core.$strip>>>;
}, z.core.$strip>;
export type ImageHeader = z.infer<typeof ImageHeader>;
/** zstd: an image is made once and read at many starts, but an install should not wait for it. */
export type Compression = 'small' | 'quick';
export declare function packImage(tar: Uint8Array, facts: Pick<ImageHeader, 'pglite' | 'migrations'>, compression: Compression): Uint8Array;
/** An image that is whole; its tar is unpacked when asked for. */
export interface Image {
    readonly header: ImageHeader;
    readonly tar: () => Promise<Uint8Array>;
}
/** Reads an image and checks it. Throws where it is missing, changed or cut off. */
export declare function readImage(file: URL | string): Promise<Image>;
/** Writes an image into a folder; throws where it holds no database. */
export declare function unpackImage(tar: Uint8Array, folder: string): void;
export {};
