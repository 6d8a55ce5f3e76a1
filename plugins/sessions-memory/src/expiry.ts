import type { OverdueSession, Retention, SessionRef } from '@amodal/sdk'
import { keepTimeOf } from '@amodal/sdk/loop'
import type { SessionTable } from './session-table.ts'
import { IDLE_STATE } from './stored-session.ts'

/** Marks sessions as idle that have not been used for the time of their kind. */
export function markIdle(
  table: SessionTable,
  retention: Retention,
  limit: number,
  time: number,
): readonly SessionRef[] {
  const due = table.quiet('active').filter(({ ref, kind, updatedAt }) => {
    const { idleMs } = keepTimeOf(retention, ref.tenant, kind)
    return idleMs !== undefined && updatedAt < time - idleMs
  })
  const idle = due.slice(0, limit)
  for (const stored of idle) Object.assign(stored, { status: 'idle', idleAt: time })
  return idle.map(({ ref }) => ref)
}

/** Idle sessions that may expire: their time is over, and no fork shows their entries. */
export function overdueIn(
  table: SessionTable,
  retention: Retention,
  parkedTtlMs: number,
): readonly OverdueSession[] {
  const time = Date.now()
  return table
    .quiet('idle')
    .filter((stored) => {
      const { expireMs } = keepTimeOf(retention, stored.ref.tenant, stored.kind)
      if (expireMs === undefined || table.isNeeded(stored)) return false
      const retainedMs = stored.parked ? Math.max(expireMs, parkedTtlMs) : expireMs
      return stored.idleAt < time - retainedMs
    })
    .map(({ ref, head }) => ({ ...ref, head }))
}

/** Expires those of the sessions that have not changed since they were overdue. */
export function expireUnchanged(
  table: SessionTable,
  sessions: readonly OverdueSession[],
): readonly SessionRef[] {
  const quiet = new Set(table.quiet('idle'))
  const expired = sessions.flatMap(({ tenant, session, head }) => {
    const stored = table.find({ tenant, session })
    const isUnchanged = stored && quiet.has(stored) && stored.head === head
    return isUnchanged && !table.isNeeded(stored) ? [stored] : []
  })
  for (const stored of expired) {
    Object.assign(stored, {
      status: 'expired',
      state: IDLE_STATE,
      parked: false,
      due: Infinity,
      entries: [],
    })
    stored.inbox.clear()
    table.markExpired(stored)
  }
  return expired.map(({ ref }) => ref)
}

/** Deletes items that were acknowledged before this time: their keys are no longer recognised. */
export function forgetKeys(table: SessionTable, before: number): void {
  for (const { inbox } of table.filter(() => true)) {
    for (const { key, isAcknowledged, at } of inbox.values())
      if (isAcknowledged && at < before) inbox.delete(key)
  }
}
