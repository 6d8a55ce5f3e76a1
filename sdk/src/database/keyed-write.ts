import { err, sleep, type Failure, type Lease, type Result } from '@amodal/kernel'
import { failure } from '../errors.ts'
import { connectionBroke, DatabaseError } from './failures.ts'

/** ms for which the database is queried for the outcome of a write. */
const ASKED_MS = 10_000
const FIRST_WAIT_MS = 50
const LONGEST_WAIT_MS = 1_000

/**
 * The connection broke while a statement was at work that commits by itself, or at the commit: the
 * write is neither done nor undone.
 */
export function writeInDoubt(of: Failure): boolean {
  return of.code === 'STORE_FAILED' && connectionBroke(of) && of.details?.['rolledBack'] !== true
}

/**
 * Makes an idempotent write. If the response is lost, it is retried until the database returns the
 * outcome.
 *
 * @param write one try; `isRetry` if an earlier one may have been written
 * @returns `OUTCOME_UNKNOWN` if no retry gets a response, whatever the reason: the write may have
 *   been committed
 * @example
 * await keyedWrite(
 *   (isRetry) =>
 *     remove(id).then((removed) => (removed.ok ? ok(removed.value || isRetry) : removed)),
 *   signal,
 * )
 */
export async function keyedWrite<T>(
  write: (isRetry: boolean) => Promise<Result<T, Failure>>,
  signal: AbortSignal,
): Promise<Result<T, Failure>> {
  const end = performance.now() + ASKED_MS
  let doubt = false
  for (let wait = FIRST_WAIT_MS; ; wait = Math.min(wait * 2, LONGEST_WAIT_MS)) {
    const done = await write(doubt)
    if (done.ok) return done
    doubt ||= writeInDoubt(done.error)
    if (!doubt) return done
    if (signal.aborted || performance.now() > end || !connectionBroke(done.error)) {
      return err(
        failure(
          'OUTCOME_UNKNOWN',
          `the answer of the database was lost, and it could not be asked again: ${done.error.message}`,
          { details: { ...done.error.details }, cause: done.error.cause },
        ),
      )
    }
    await sleep(wait, signal)
  }
}

/**
 * Throws where this process may not act for its session any more: the last statement of a
 * transaction's work, so that what waited for a connection or a lock is not committed after the
 * session was taken over.
 */
export function assertLease(lease: Lease | undefined): void {
  if (lease !== undefined && lease.remainingMs() <= lease.margin)
    throw new DatabaseError(
      failure('LEASE_LOST', 'nothing was written: this process no longer holds the session'),
    )
}
