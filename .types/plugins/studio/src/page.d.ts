/** A file of the page, as it is and made smaller. */
export interface File {
    readonly type: string;
    readonly etag: string;
    /** Its name says what is in it: another content has another name. */
    readonly hashed: boolean;
    readonly bytes: Uint8Array<ArrayBuffer>;
    readonly gzip: Uint8Array<ArrayBuffer>;
}
/** The built page: a handful of files, read once, when the first of them is asked for. */
export declare class Page {
    #private;
    /** @param folder where the build has put it */
    constructor(folder: string);
    /** @param name as it stands in the page, such as `studio-1a2b3c4d.js` */
    file(name: string): Promise<File | undefined>;
}
