/**
 * Whether nothing can come of a connection any more.
 *
 * @param streamed the server has sent notifications over a stream of its own before
 */
export declare function endsConnection(error: Error, streamed: boolean): boolean;
/** The server has ended a call with a question that nobody here answers. */
export declare class UnansweredError extends Error {
}
/** What a call comes to under a lease that has ended. */
export declare const LAPSED = "The call was not made: this process may not act for the session any more.";
/** A call that was not sent, since the lease that it is made under has ended. */
export declare class LapsedError extends Error {
    constructor();
}
export declare const isOutdated: (cause: unknown) => boolean;
/**
 * How a failed call stands. `refused`: the server said no. `unsent`: it was not carried out, and the connection is of no
 * use. `lapsed`: it was not sent, since this process may not act for the session any more.
 * `unclear`: it was seen, and nothing came that could be read. `lost`: the same, and the connection is gone.
 * `stopped`: nobody waits any more.
 */
export type Failing = 'refused' | 'unsent' | 'lapsed' | 'unclear' | 'lost' | 'stopped';
/** @param stateful the server had given the connection a session */
export declare function failingOf(cause: unknown, signal: AbortSignal, stateful: boolean): Failing;
