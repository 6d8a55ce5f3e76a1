import { timeLimit, type Database, type Failure, type Result } from '@amodal/sdk'
import { runQuery } from '@amodal/sdk/database'
import { FORGET_CALLS } from './statements.ts'

/** ms between two rounds. */
export const FORGET_MS = 60 * 60 * 1_000
const ROUND_MS = 30_000
/** Rows of one round: little enough to be in nobody's way. */
const ROWS = 5_000

/**
 * Forgets the keys of writes that nobody will repeat any more. Those of seed documents stay:
 * forgotten, the documents would come back.
 */
export function forgetCalls(
  database: Database,
  days: number,
): Promise<Result<readonly unknown[], Failure>> {
  const limit = timeLimit(ROUND_MS, 'forgetting the keys of writes')
  return runQuery(database, FORGET_CALLS({ days, limit: ROWS }), limit)
}
