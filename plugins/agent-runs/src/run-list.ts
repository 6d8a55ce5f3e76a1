import {
  ok,
  truncateLine,
  type Caller,
  type Failure,
  type JsonObject,
  type Result,
} from '@amodal/sdk'
import { isRunEnded } from '@amodal/sdk/wire'
import type { RunReader } from './run-reader.ts'
import { cursorOf, type ListQuery } from './run-request.ts'
import { statusOf, summaryOf, type RunView } from './run-status.ts'
import type { ListedRow, RunTable } from './run-table.ts'

/** Characters of the task of a run in a list. */
const TASK_CHARS = 200
/** Pages of rows that are read at most for one page of a list. */
const MOST_READS = 5

/** Some of the runs, and the cursor of those that come behind them. */
export interface RunPage {
  readonly views: readonly RunView[]
  readonly next?: string
}

/**
 * Runs that the caller may see, the newest first. Whether an open run is queued, works or waits
 * stands in its journal, so a page of these may have fewer than `limit` runs and still a cursor.
 */
export async function pageOfRuns(
  { table, reader }: { readonly table: RunTable; readonly reader: RunReader },
  caller: Caller,
  { before, limit, status }: ListQuery,
): Promise<Result<RunPage, Failure>> {
  const views: RunView[] = []
  let last: ListedRow | undefined
  for (let reads = 0; reads < MOST_READS; reads++) {
    const rows = await table.list(caller.tenant, {
      limit,
      principal: caller.ownSessionsOnly ? caller.principal : undefined,
      before: last ?? before,
      ended: status !== undefined && isRunEnded(status) ? status : undefined,
      isOpen: status !== undefined && !isRunEnded(status),
    })
    if (!rows.ok) return rows
    for (const row of rows.value) {
      const look = await reader.look(caller, row)
      if (!look.ok) return look
      last = row
      const { view } = look.value
      if (status === undefined || statusOf(view) === status) views.push(view)
      if (views.length === limit) return ok({ views, next: cursorOf(row) })
    }
    if (rows.value.length < limit) return ok({ views })
  }
  return ok({ views, ...(last && { next: cursorOf(last) }) })
}

/** A run in a list: its task in short. */
export const listedRun = (view: RunView): JsonObject => ({
  ...summaryOf(view, undefined),
  task: truncateLine(view.row.task, TASK_CHARS),
  started_by: view.row.principal,
  turns_used: view.progress.turns,
})
