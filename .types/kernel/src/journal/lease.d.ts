import type { Clock } from '../time.ts';
/** How long this process may still act for a session. Read in the tick that sends; there is no other safe moment. */
export interface Lease {
    /** ms until the lease ends, counted from before the request that got it; 0 once it is lost. */
    left(): number;
    /** Outside calls start only with more than this left (ms). */
    readonly margin: number;
    /** Aborts when the lease is lost. */
    readonly signal: AbortSignal;
}
/** The margin of a lease in ms, where a tenth of it is not less. */
export declare const LEASE_MARGIN = 2000;
/** The lease of one owned lane, on the monotonic clock: a process that was stopped finds it over when it wakes. */
export declare class LaneLease implements Lease {
    #private;
    readonly margin: number;
    taken: boolean;
    constructor(clock: Clock, askedAt: number, ms: number);
    get signal(): AbortSignal;
    left(): number;
    /** `askedAt`: monotonic ms from before the request that prolonged it. */
    prolong(askedAt: number, ms: number): void;
    /** `taken`: by another owner, for sure. */
    lose(why: string, taken?: boolean): void;
}
