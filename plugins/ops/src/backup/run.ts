import type { Row, Statement } from '@amodal/sdk'
import { runIn, sql, statementOf, type Transaction } from '@amodal/sdk/database'

/** One statement of a transaction. Throws what the database refuses. */
export type Run = (statement: Statement) => Promise<readonly Row[]>

/**
 * The same transaction for what runs scripts of several statements, which no prepared statement
 * takes: the database runs such a text from within a block.
 */
export const scripting = (run: Run): Transaction => ({
  run,
  script: async (text) => {
    const block = statementOf(sql`begin execute ${sql.lit(text)}; end`).sql
    await runIn(run, sql`do ${sql.lit(block)}`)
  },
})
