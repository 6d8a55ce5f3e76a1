/** A server sent more at once than is kept. */
export declare class TooLargeError extends Error {
    constructor(maxBytes: number);
}
