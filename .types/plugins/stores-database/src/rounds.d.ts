/**
 * Work that comes back: the next round begins some time after the one before has ended, or at once where that left work
 * behind. Its timer keeps no process alive.
 */
export declare class Rounds {
    #private;
    /**
     * @param everyMs milliseconds between two rounds
     * @param work one round, `true` where there may be more to do. Never rejects; aborted when the rounds are over.
     */
    constructor(everyMs: number, work: (signal: AbortSignal) => Promise<boolean>);
    start(): void;
    /** Resolves once the round that runs has ended. */
    stop(): Promise<void>;
}
