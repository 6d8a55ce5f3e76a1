import { timeLimit } from '@amodal/sdk'
import type { Database } from '@amodal/sdk'
import { runQuery } from '@amodal/sdk/database'
import { FORGET_WINDOWS } from './statements.ts'

/** ms for one count: whoever asks waits for it. */
const COUNT_MS = 2_000

/**
 * The Database slot as a client of `pg`, for a library that counts in one. Its statements are
 * upserts of one row.
 */
export interface PgClient {
  query(statement: {
    readonly text: string
    readonly values?: readonly unknown[]
  }): Promise<{ readonly rows: readonly unknown[]; readonly rowCount: number }>
}

export const pgClient = (database: Database): PgClient => ({
  async query({ text, values = [] }) {
    const rows = await database.run(
      { sql: text, parameters: values },
      timeLimit(COUNT_MS, 'counting requests'),
    )
    if (!rows.ok) throw new Error(rows.error.message, { cause: rows.error })
    return { rows: rows.value, rowCount: rows.value.length }
  },
})

/** Windows that are over are of no use to anybody. @param before ms since the epoch */
export const forgetWindows = (database: Database, before: number) =>
  runQuery(
    database,
    FORGET_WINDOWS({ before }),
    timeLimit(10 * COUNT_MS, 'forgetting counts of requests'),
  )
