import { type Failure, type Result } from '@amodal/kernel';
/** Carries a {@link Failure} through code that throws, such as the work of a transaction. */
export declare class DatabaseError extends Error {
    readonly name = "DatabaseError";
    readonly failure: Failure;
    constructor(of: Failure);
}
/**
 * `STORE_FAILED` for whatever a driver threw. `details.sqlstate` where the server named one;
 * `details.connection: true` where the connection broke, so that nothing is known about the write.
 */
export declare function statementFailure(cause: unknown): Failure;
/** A statement that was given up before it reached the database: nothing was written. */
export declare function notStarted(signal: AbortSignal): Failure;
/** Waits for `promise` no longer than `signal` lets it. What was begun goes on. */
export declare function until<T>(promise: Promise<Result<T, Failure>>, signal: AbortSignal): Promise<Result<T, Failure>>;
/** Whatever the work of a transaction threw. */
export declare function workFailure(cause: unknown): Failure;
export declare function sqlstateOf({ details }: Failure): string | undefined;
/** The connection broke: what it carried may or may not have been written. */
export declare function connectionBroke({ details }: Failure): boolean;
/** The data itself was refused (SQLSTATE 22, 23, 54), so a repetition would be refused as well. */
export declare function refusedData(of: Failure): boolean;
/** The server has no such prepared statement any more, or its rows have changed: preparing it again helps. */
export declare function staleStatement(of: Failure): boolean;
