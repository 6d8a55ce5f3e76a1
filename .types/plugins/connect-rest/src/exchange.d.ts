import { type Failure, type Lease, type Outbound, type OutboundResponse, type RestSpec, type Result } from '@amodal/sdk';
export interface Sending {
    readonly name: string;
    readonly url: string;
    readonly privateOrigin: string;
    readonly method: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly body?: string | Uint8Array;
    /** It changes something, so that one whose answer was lost is in doubt. */
    readonly write: boolean;
    /** May be sent again although the target may have acted on it. */
    readonly repeatable: boolean;
    readonly key?: string;
    readonly lease?: Lease;
    readonly signal: AbortSignal;
}
/**
 * Sends one request; what may be repeated, again after a failure that may pass. The last answer counts, unless an earlier
 * try of a write may have been acted on and the last one does not say what became of that.
 */
export declare function exchange(outbound: Outbound, sending: Sending, { timeoutMs, maxBytes, tries }: RestSpec['limits'], now: () => number): Promise<Result<OutboundResponse, Failure>>;
/** The status that the target gave, also where the rest of its answer did not come. */
export declare function statusOf(answer: Result<OutboundResponse, Failure>): number | undefined;
/** Seconds or a date (RFC 9110, 10.2.3). */
export declare function retryAfterMs(header: string | undefined, now: number): number | undefined;
