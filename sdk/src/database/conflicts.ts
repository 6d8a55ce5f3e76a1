import { sleep, type Failure, type Result } from '@amodal/kernel'
import { sqlstateOf } from './failures.ts'

/** `serialization_failure` and `deadlock_detected`. */
const CONFLICT = /^(?:40001|40P01)$/
/** Two transactions that meet need one more attempt; a crowd on one row needs a few. */
const ATTEMPTS = 10
/**
 * ms before the second attempt, at most; twice as many before each further one, up to {@link
 * LONGEST_MS}.
 */
const FIRST_MS = 10
const LONGEST_MS = 500

/**
 * Transactions were in each other's way, and the database gave this one up: nothing of it has
 * happened, and it can be repeated.
 */
export function isConflict(of: Failure): boolean {
  return CONFLICT.test(sqlstateOf(of) ?? '')
}

/**
 * Repeats a transaction, or a statement, that the database gave up in favour of another one: after
 * a serialization failure or a deadlock (SQLSTATE 40001, 40P01). What the databases of `db-pglite`
 * and `db-postgres` run goes through it.
 *
 * @param attempt the whole transaction, from its beginning; returns the failure of the database as
 *   it is
 * @param signal ends the waiting between attempts
 * @returns what the last attempt came to
 */
export async function retryConflicts<T>(
  attempt: () => Promise<Result<T, Failure>>,
  signal: AbortSignal,
): Promise<Result<T, Failure>> {
  for (let n = 1; ; n++) {
    const done = await attempt()
    if (done.ok || n === ATTEMPTS || signal.aborted || !isConflict(done.error)) return done
    // A random delay, so that the same transactions do not conflict a second time.
    await sleep(Math.random() * Math.min(LONGEST_MS, FIRST_MS * 2 ** (n - 1)), signal)
  }
}
