import {
  err,
  ok,
  tenantId,
  type Database,
  type Failure,
  type Result,
  type TenantId,
  timeLimit,
} from '@amodal/sdk'
import { runIn } from '@amodal/sdk/database'
import { REMOVE_DUE, TAKE_DUE } from './statements.ts'

/** Documents of one round: few enough to be in nobody's way. */
export const PURGE_ROWS = 500
/** ms for one round. */
const ROUND_MS = 30_000

/** Documents of one store that a purge removed. */
export interface Purged {
  readonly tenant: TenantId
  readonly store: string
  readonly count: number
}

/**
 * Removes documents that have been stale for `keepMs` milliseconds, with their earlier versions:
 * one round, in one transaction. Several instances may do it at once.
 *
 * @returns how many went by tenant and store, and whether there may be more
 */
export async function purge(
  database: Database,
  keepMs: number,
  signal: AbortSignal,
): Promise<Result<{ readonly gone: readonly Purged[]; readonly more: boolean }, Failure>> {
  const done = await database.transaction(
    async (run) => {
      const taken = await runIn(run, TAKE_DUE({ keepMs, limit: PURGE_ROWS }))
      const rows =
        taken.length === 0
          ? []
          : await runIn(run, REMOVE_DUE({ keepMs, rows: JSON.stringify(taken) }))
      return {
        gone: rows.map((row) => ({ ...row, tenant: tenantId(row.tenant) })),
        more: taken.length === PURGE_ROWS,
      }
    },
    timeLimit(ROUND_MS, 'removing what has expired', signal),
  )
  return done.ok ? ok(done.value) : err(done.error)
}
