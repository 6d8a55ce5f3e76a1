import type { ReadDocument } from './read-document.ts';
/** Documents in the short form that is kept beside the agent, so that a long one is parsed once. */
export declare class DocumentCache {
    #private;
    constructor(root: string);
    /** By the hash of its text. */
    static keyOf(text: string | Uint8Array): string;
    /** @returns the document and how old it is, in ms */
    get(key: string, now: number): Promise<{
        readonly document: ReadDocument;
        readonly ageMs: number;
    } | undefined>;
    /** Whole or not at all. Where the folder cannot be written, the document is parsed again the next time. */
    put(key: string, document: ReadDocument): Promise<void>;
}
