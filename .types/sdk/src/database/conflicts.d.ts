import { type Failure, type Result } from '@amodal/kernel';
/** Transactions were in each other's way, and the database gave this one up: nothing of it has happened, and it can be repeated. */
export declare function isConflict(of: Failure): boolean;
/**
 * Repeats a transaction, or a statement, that the database gave up in favour of another one: after a serialization failure
 * or a deadlock (SQLSTATE 40001, 40P01). What the databases of `db-pglite` and `db-postgres` run goes through it.
 *
 * @param attempt the whole transaction, from its beginning; returns the failure of the database as it is
 * @param signal ends the waiting between attempts
 * @returns what the last attempt came to
 */
export declare function retryConflicts<T>(attempt: () => Promise<Result<T, Failure>>, signal: AbortSignal): Promise<Result<T, Failure>>;
