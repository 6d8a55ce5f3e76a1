import { failure, messageOf, type Failure } from '@amodal/sdk'
import { connectionBroke, sqlstateOf } from '@amodal/sdk/database'

/**
 * Deadlock, out of resources, lock not available, cancelled by an operator, trouble of the system:
 * the same again may well succeed.
 */
const PASSING = /^(40|53|55|57|58)/

/**
 * One item may be to blame for its whole batch: its data, or the order in which locks were taken.
 */
export function oneIsBad(failed: Failure): boolean {
  return /^(22|23|40|54)/.test(sqlstateOf(failed) ?? '')
}

/** A deadlock, or another order of writes: this one was undone in favour of another. */
export const inTheWay = (failed: Failure): boolean => /^40/.test(sqlstateOf(failed) ?? '')

/**
 * `details.connection: true` on everything that says nothing about the write, or only that it did
 * not come about this time: the caller repeats it with the same key. What the database refused for
 * its content stays refused.
 */
export function inDoubt(failed: Failure): Failure {
  if (connectionBroke(failed) || failed.code !== 'STORE_FAILED') return failed
  const sqlstate = sqlstateOf(failed)
  if (sqlstate !== undefined && !PASSING.test(sqlstate)) return failed
  return { ...failed, details: { ...failed.details, connection: true } }
}

/** The caller stopped waiting; the write may come about all the same. */
export function leftWaiting({ reason }: AbortSignal): Failure {
  return failure(
    'STORE_FAILED',
    `nobody waits for the sessions' database any more: ${messageOf(reason)}`,
    { details: { aborted: true, connection: true }, cause: reason },
  )
}
