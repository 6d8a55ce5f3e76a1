/** Reads the body of a reply that may be over before its connection is. */
export declare class BodyReader {
    #private;
    constructor(body: ReadableStream<Uint8Array> | null);
    /** @returns `undefined` at the end of the body, or where what was still expected did not come */
    read(): Promise<Uint8Array | undefined>;
    /** The reply has finished: what may follow is waited for a short time only. */
    finishing(): void;
    /** Nothing more is wanted. Reads what is left, mostly nothing: a connection that is cut cannot be used again. */
    leave(): void;
    cancel(reason?: unknown): Promise<void>;
}
