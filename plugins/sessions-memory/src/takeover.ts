import type { AcquiredSession, InstanceId, Takeover, TakenOver } from '@amodal/sdk'
import { keyOf, type SessionTable } from './session-table.ts'
import {
  acquireLease,
  hasWork,
  sessionRecordOf,
  monotonicMs,
  type StoredSession,
} from './stored-session.ts'

/**
 * Acquires sessions that have work and no owner, or whose lease has lapsed. Those of a lost owner
 * are suspects: each counts a crash when it is acquired.
 */
export function takeOver(table: SessionTable, owner: InstanceId, takeover: Takeover): TakenOver {
  const isSuspect = (stored: StoredSession): boolean =>
    stored.owner !== undefined && stored.owner !== owner && stored.leaseUntil > -Infinity
  const lapsed = table.filter(isAcquirable(owner, takeover))
  const lost = lapsed.filter(isSuspect)
  const { sessions: lostSessions, alone } = nextSuspects(lost, takeover.suspects, takeover.trial)
  const acquired = [
    ...lapsed.filter((stored) => !isSuspect(stored)).slice(0, takeover.limit),
    ...lostSessions,
  ]
  const sessions = acquired.map((stored): AcquiredSession => {
    const suspect = isSuspect(stored)
    const convicted = suspect && stored.trial
    if (suspect) stored.crashes++
    else if (stored.leaseUntil === -Infinity) stored.crashes = 0
    stored.trial = suspect && (stored.trial || alone)
    acquireLease(stored, owner, takeover.leaseMs)
    return { ...sessionRecordOf(stored), suspect, convicted, trial: stored.trial }
  })
  return { sessions, suspects: lost.length }
}

function isAcquirable(
  owner: InstanceId,
  { marginMs, held = [] }: Takeover,
): (stored: StoredSession) => boolean {
  const own = new Map(held.map((one) => [keyOf(one), one.fencingToken]))
  return (stored) => {
    if (stored.setAside !== undefined) return false
    if (stored.owner === undefined)
      return hasWork(stored) || (stored.parked && stored.due <= Date.now())
    if (stored.owner === owner && own.get(keyOf(stored.ref)) === stored.fencingToken) return false
    return marginMs < 0 ? stored.owner !== owner : stored.leaseUntil < monotonicMs() - marginMs
  }
}

/** Up to this many sessions with crashes are tried one by one. */
const FEW = 8

/** Chooses which sessions of lost owners are resumed next, like the statement of `sessions`. */
function nextSuspects(
  lost: readonly StoredSession[],
  most: number,
  trial: boolean,
): { readonly sessions: readonly StoredSession[]; readonly alone: boolean } {
  const convicted = lost.filter((stored) => stored.trial).slice(0, most)
  const fresh = lost.filter(({ crashes, trial: tried }) => crashes === 0 && !tried)
  if (fresh.length > 0) return { sessions: [...convicted, ...fresh.slice(0, most)], alone: false }
  const struck = lost
    .filter((stored) => !stored.trial)
    .sort((a, b) => a.crashes - b.crashes || a.leaseUntil - b.leaseUntil)
  if (struck.length > FEW)
    return { sessions: [...convicted, ...struck.slice(0, Math.min(most, FEW))], alone: false }
  return {
    sessions: [...convicted, ...struck.slice(0, trial ? Math.min(most, 1) : 0)],
    alone: true,
  }
}
