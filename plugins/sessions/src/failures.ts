import type { Failure } from '@amodal/sdk'
import { connectionBroke, sqlstateOf } from '@amodal/sdk/database'

/**
 * Deadlock, out of resources, lock not available, cancelled by an operator, system error: a retry
 * may succeed.
 */
const PASSING = /^(40|53|55|57|58)/

/**
 * Sets `details.connection: true` on failures after which the outcome of the write is unknown, or a
 * retry may succeed: the caller retries with the same key. A write that the database refused for
 * its content is not retried.
 */
export function inDoubt(failed: Failure): Failure {
  if (connectionBroke(failed) || failed.code !== 'STORE_FAILED') return failed
  const sqlstate = sqlstateOf(failed)
  if (sqlstate !== undefined && !PASSING.test(sqlstate)) return failed
  return { ...failed, details: { ...failed.details, connection: true } }
}
