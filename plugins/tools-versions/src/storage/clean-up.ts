import { timeLimit, type Clock, type Database, type Failure } from '@amodal/sdk'
import { runIn, runQuery } from '@amodal/sdk/database'
import type { CodeFolders } from '../running/code-folders.ts'
import { REMOVE_INVOCATIONS } from './invocation-statements.ts'
import { LOCK_ARCHIVES, REMOVE_ARCHIVES } from './version-statements.ts'

const ROUND_MS = 60_000
const MOST_ROWS = 1_000
const DAY_MS = 24 * 60 * 60_000

interface Parts {
  readonly database: Database
  readonly folders: CodeFolders
  readonly clock: Pick<Clock, 'now'>
  readonly retentionDays: number
  readonly archiveDays: number
  readonly warn: (error: Failure) => void
}

/**
 * One round of removing what is not needed any more.
 *
 * @returns a round, `true` where there may be more to remove
 */
export const cleanUp =
  ({ database, folders, clock, retentionDays, archiveDays, warn }: Parts) =>
  async (ending: AbortSignal): Promise<boolean> => {
    const signal = timeLimit(ROUND_MS, 'removing old invocations', ending)
    const ages = { ms: retentionDays * DAY_MS, limit: MOST_ROWS }
    const removed = await runQuery(database, REMOVE_INVOCATIONS(ages), signal)
    const archives = await database.transaction(async (run) => {
      const age = { ms: archiveDays * DAY_MS }
      const locked = await runIn(run, LOCK_ARCHIVES(age))
      if (locked.length > 0) await runIn(run, REMOVE_ARCHIVES(age))
    }, signal)
    for (const one of [removed, archives]) if (!one.ok && !ending.aborted) warn(one.error)
    await folders.removeUnused(clock.now())
    return removed.ok && removed.value.length === MOST_ROWS
  }
