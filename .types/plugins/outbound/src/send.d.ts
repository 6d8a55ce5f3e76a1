import { type Failure, type Lease, type Result } from '@amodal/sdk';
import type { Network } from './network.ts';
export interface Sending {
    readonly method: string;
    readonly headers: Headers;
    readonly init: RequestInit;
    readonly lease?: Lease | undefined;
    /** Ends the exchange; the lease's own signal is added to it. */
    readonly signal: AbortSignal | undefined;
    /** An origin that may be private for this request, since the agent's own files name it. */
    readonly privateOrigin?: string | undefined;
}
/** Where requests may go. */
export interface Ways {
    readonly network: Network;
    /** Origins that may be private for every request. */
    readonly privateOrigins: ReadonlySet<string>;
    /** Ports of all other origins; any, where they are left out. */
    readonly ports?: readonly number[] | undefined;
}
/**
 * Sends a request and follows its redirects. The address is checked before each hop; the lease is read before it
 * connects and again in the tick that writes. The body of the answer is still to be read.
 */
export declare function send(address: string | URL, sending: Sending, ways: Ways): Promise<Result<{
    readonly response: Response;
    readonly url: URL;
}, Failure>>;
/** Frees the connection of an answer that nobody reads. */
export declare function letGo(response: Response): Promise<void>;
