import { sql } from 'kysely'
import type { InstallationContext } from '../ports/installation.ts'
import { statement, type RowOf, type TypedStatement } from './statement.ts'

/**
 * Rows of a statement, for a checkup of `amodal doctor`: none where there is no database, and
 * thrown is what went wrong, which the command tells.
 *
 * @example
 * const [counts] = await checkupRows(COUNTS(), context)
 */
export async function checkupRows<R>(
  query: TypedStatement<R>,
  { database, signal }: Pick<InstallationContext, 'database' | 'signal'>,
): Promise<readonly RowOf<R>[]> {
  const rows = await database?.run(query, signal)
  if (rows?.ok === false) throw new Error(rows.error.message, { cause: rows.error })
  return (rows?.value ?? []) as readonly RowOf<R>[] // as the statement says
}

const EXISTS = statement(
  ({ table }: { table: string }) =>
    sql<{ readonly present: boolean }>`select to_regclass(${table}) is not null present`,
)

/** Whether a table is there: a database may be older than the plugin. */
export async function hasTable(
  table: string,
  context: Pick<InstallationContext, 'database' | 'signal'>,
): Promise<boolean> {
  const [row] = await checkupRows(EXISTS({ table }), context)
  return row?.present === true
}
