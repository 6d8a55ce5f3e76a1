import { timeLimit } from '@amodal/sdk'
import type { Database, Failure, Result, Row } from '@amodal/sdk'

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
): Promise<Result<readonly Row[], Failure>> {
  return database.run(
    {
      sql: `delete from stores_database_call where ctid in (
      select ctid from stores_database_call where at < clock_timestamp() - $1::float8 * interval '1 day' and call_key not like 'seed:%' limit ${ROWS}) returning 1 as one`,
      parameters: [days],
    },
    timeLimit(ROUND_MS, 'forgetting the keys of writes'),
  )
}
