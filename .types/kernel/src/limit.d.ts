/** The waiting was over before the work. */
export declare class TimedOut extends Error {
    constructor(ms: number);
}
/**
 * A time limit for everything that is awaited `within` it, set up only once something really waits.
 * Its timer keeps the process alive until `end`: what hangs must be named, not leave a silent exit.
 */
export declare class Limit {
    #private;
    /** `true` past the deadline. */
    over: boolean;
    constructor(ms: number, parent?: AbortSignal);
    /** Aborts at the deadline, and with the parent. */
    get signal(): AbortSignal;
    /** Waits for `work`, at most until the deadline; then it rejects with {@link TimedOut}. */
    within<T>(work: T | PromiseLike<T>): Promise<T>;
    end(): void;
}
/** Does one piece of work within `ms`. */
export declare function withDeadline<T>(work: (signal: AbortSignal) => T | PromiseLike<T>, ms: number): Promise<T>;
