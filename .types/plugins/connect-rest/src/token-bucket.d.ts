/** Lets `perSecond` requests through, and `burst` at once (the generic cell rate algorithm, ITU-T I.371). */
export declare class TokenBucket {
    #private;
    constructor({ perSecond, burst }: {
        readonly perSecond: number;
        readonly burst: number;
    }, now: () => number);
    /** Waits for a turn; the seconds to come back after where that would take too long. */
    take(signal: AbortSignal): Promise<number | undefined>;
}
