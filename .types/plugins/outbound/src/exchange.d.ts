import { type Failure, type Outbound } from '@amodal/sdk';
import { type Ways } from './send.ts';
export interface Limits {
    /** ms for a whole exchange that names no time of its own. */
    readonly timeoutMs: number;
    /** Bytes of an answer that names no size of its own. */
    readonly maxBytes: number;
}
/** Makes the one way out. It keeps no state of its own: connections are pooled by the network. */
export declare function createOutbound(limits: Limits, ways: Ways): Outbound;
/** What `fetch` rejects with; the failure itself is its cause. */
export declare class OutboundError extends TypeError {
    constructor(error: Failure);
}
