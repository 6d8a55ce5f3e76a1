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
  const suspects = lapsed.filter(isSuspect)
  const { next, alone } = nextSuspects(suspects, takeover)
  const acquired = [
    ...lapsed.filter((stored) => !isSuspect(stored)).slice(0, takeover.limit),
    ...next,
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
  return { sessions, suspectsFound: suspects.length }
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

/** Up to this many sessions with crashes are tried one by one, as in the plugin `sessions`. */
const MAX_TRIED_ALONE = 8

/** Chooses which suspects are acquired next, in the order that `SessionStore.takeover` says. */
function nextSuspects(
  suspects: readonly StoredSession[],
  { maxSuspects: most, trial: mayTry }: Takeover,
): { readonly next: readonly StoredSession[]; readonly alone: boolean } {
  const convicted = suspects.filter(({ trial }) => trial).slice(0, most)
  const untried = suspects.filter(({ trial }) => !trial)
  const fresh = untried.filter(({ crashes }) => crashes === 0)
  if (fresh.length > 0) return { next: [...convicted, ...fresh.slice(0, most)], alone: false }
  const crashed = untried.sort((a, b) => a.crashes - b.crashes || a.leaseUntil - b.leaseUntil)
  if (crashed.length > MAX_TRIED_ALONE)
    return {
      next: [...convicted, ...crashed.slice(0, Math.min(most, MAX_TRIED_ALONE))],
      alone: false,
    }
  return { next: [...convicted, ...crashed.slice(0, mayTry ? Math.min(most, 1) : 0)], alone: true }
}
