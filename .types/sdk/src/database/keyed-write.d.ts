import { type Failure, type Lease, type Result } from '@amodal/kernel';
/** The connection broke while a statement was at work that commits by itself, or at the commit: the write is neither done nor undone. */
export declare function writeInDoubt(of: Failure): boolean;
/**
 * Makes a write whose repeat changes nothing. Where its answer is lost it is made again until the database says what
 * became of it.
 *
 * @param write one try; `again` where an earlier one may have been made
 * @returns `OUTCOME_UNKNOWN` where that cannot be found out, and not what kept it from that: the write may be there
 * @example
 * await keyedWrite((again) => remove(id).then((gone) => (gone.ok ? ok(gone.value || again) : gone)), signal)
 */
export declare function keyedWrite<T>(write: (again: boolean) => Promise<Result<T, Failure>>, signal: AbortSignal): Promise<Result<T, Failure>>;
/**
 * Throws where this process may not act for its session any more: the last statement of a transaction's work, so that
 * what waited for a connection or a lock is not committed after the session was taken over.
 */
export declare function assertLease(lease: Lease | undefined): void;
