import {
  ok,
  sessionId,
  tenantId,
  timeLimit,
  type Database,
  type Failure,
  type Result,
  type SessionRef,
  type SessionStore,
} from '@amodal/sdk'
import { runIn, runQuery } from '@amodal/sdk/database'
import { DROP_CLAIMS, DROP_CONTENTS, LOCK_DUE, SEEN, UNSEEN, type Retention } from './statements.ts'

/** Files, or sessions, of one round. */
const ROUND = 200
/** ms for one round. */
const ROUND_MS = 30_000
/** ms for which a session that holds a file is taken to be there, or to come. */
export const SEEN_MS = 3_600_000

/**
 * Removes the files whose time is over.
 *
 * @returns how many contents went, and whether there may be more
 */
export async function removeExpired(
  database: Database,
  retention: Retention,
  signal: AbortSignal,
): Promise<Result<{ readonly removed: number; readonly more: boolean }, Failure>> {
  return database.transaction(
    async (run) => {
      const due = await runIn(run, LOCK_DUE({ ...retention, limit: ROUND }))
      if (due.length === 0) return { removed: 0, more: false }
      const assets = JSON.stringify(due)
      // Statements of their own: each sees what was written while the rows were waited for.
      await runIn(run, DROP_CLAIMS({ ...retention, assets }))
      const removed = await runIn(run, DROP_CONTENTS({ assets }))
      return { removed: removed.length, more: due.length === ROUND }
    },
    timeLimit(ROUND_MS, 'removing files that are not used', signal),
  )
}

/**
 * Sessions that are gone without a word, since the process died that removed them, or before their
 * first message was accepted.
 *
 * @returns those to be forgotten
 */
export async function lostSessions(
  database: Database,
  sessions: SessionStore,
  signal: AbortSignal,
): Promise<Result<readonly SessionRef[], Failure>> {
  const limit = timeLimit(ROUND_MS, 'looking for sessions that hold files', signal)
  const unseen = await runQuery(database, UNSEEN({ keepMs: SEEN_MS, limit: ROUND }), limit)
  if (!unseen.ok) return unseen
  const lost: SessionRef[] = []
  for (const { tenant, session } of unseen.value) {
    const ref = { tenant: tenantId(tenant), session: sessionId(session) }
    const there = await isThere(sessions, ref, limit)
    if (!there.ok) return there
    if (there.value) {
      const seen = await runQuery(database, SEEN({ tenant, session }), limit)
      if (!seen.ok) return seen
    } else lost.push(ref)
  }
  return ok(lost)
}

/** Whether a session has its history still. */
export async function isThere(
  sessions: SessionStore,
  ref: SessionRef,
  signal: AbortSignal,
): Promise<Result<boolean, Failure>> {
  const row = await sessions.row(ref, signal)
  return row.ok ? ok(row.value !== undefined && row.value.status !== 'expired') : row
}
