import { type Database, type Eraser, type Failure, ok, type Result } from '@amodal/sdk'
import { eraseCopies } from '@amodal/sdk/database'

/** After it was committed: bytes of rows that are gone, and copies outside of the database. */
export async function cleanUp(
  database: Database,
  erasers: ReadonlyMap<string, Eraser>,
  tables: readonly string[],
  signal: AbortSignal,
): Promise<Result<void, Failure>> {
  const copies = await eraseCopies(erasers)
  if (!copies.ok) return copies
  return (await database.purge?.(tables, signal)) ?? ok(undefined)
}
