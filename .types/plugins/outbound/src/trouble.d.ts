import { type Failure, type Lease } from '@amodal/sdk';
/** The lease ended before the request was written. */
export declare class LeaseLapsed extends Error {
    constructor();
}
export interface Watch {
    readonly lease?: Lease | undefined;
    /** The caller's own signal. */
    readonly signal?: AbortSignal | undefined | null;
    /** The request was written: whether the target has acted on it nobody can tell. */
    readonly sent: boolean;
    /** Of the answer, where its beginning came. */
    readonly status?: number;
}
/**
 * What went wrong with one exchange, as a value. `details.sent` is `false` where the target cannot
 * have seen the request. Texts of the platform are not repeated: they can quote a header.
 */
export declare function trouble(cause: unknown, url: URL, { lease, signal, sent, status }: Watch): Failure;
export declare function leaseLost(where: string, sent: boolean, details?: Readonly<Record<string, unknown>>): Failure;
