/** Time as a service, so that tests can turn the clock. */
export interface Clock {
    /** Milliseconds since the epoch. */
    now(): number;
    /** Milliseconds that never go back, for deadlines. */
    monotonic(): number;
}
/** Provided by the kernel itself. */
export declare const Clock: import("./token.ts").Slot<Clock, "kernel">;
export declare const systemClock: Clock;
/**
 * Calls `ring` after `ms` milliseconds; a process that stood still then gets a moment more. Returns what clears it.
 */
export declare function alarm(ms: number, ring: () => void): () => void;
/** A deadline that is also cancelled by its parent; `clear` must be called when the work is over. */
export interface Deadline {
    readonly signal: AbortSignal;
    readonly clear: () => void;
}
/**
 * Makes a signal that aborts after `ms` milliseconds with a `TimeoutError`, or when `parent` aborts.
 *
 * @example
 * const limit = deadline(run.signal, 5_000)
 * try { await fetch(url, { signal: limit.signal }) } finally { limit.clear() }
 */
export declare function deadline(parent: AbortSignal | undefined, ms: number): Deadline;
/** Waits for work that may not listen to the signal it was given; rejects with its reason. */
export declare function within<T>(work: PromiseLike<T>, signal: AbortSignal): Promise<T>;
/** Waits `ms` milliseconds, or less when `signal` aborts. */
export declare function sleep(ms: number, signal?: AbortSignal): Promise<void>;
