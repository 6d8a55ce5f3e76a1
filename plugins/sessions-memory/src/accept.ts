import type { Accept, Accepted } from '@amodal/sdk'
import { acquireLease, IDLE_STATE, sessionRecordOf, type StoredSession } from './stored-session.ts'

/** Why an item is not added: it is a repetition, too late, or its session takes no more. */
export function refusalOf(
  known: StoredSession | undefined,
  { key, expiresAt = Infinity, maxWaiting = Infinity, create }: Accept,
): Accepted | undefined {
  if (!known) return create ? undefined : { isNew: false, claimed: false }
  const refusal = { isNew: false, claimed: false, sessionRecord: sessionRecordOf(known) }
  if (known.status === 'expired') return refusal
  const earlier = known.inbox.get(key)
  if (earlier) return { ...refusal, earlier: earlier.body }
  if (Date.now() >= expiresAt) return { ...refusal, late: true }
  // While an owned session is still idle, its oldest message is in progress, not waiting.
  const room = maxWaiting + (known.owner !== undefined && known.state === IDLE_STATE ? 1 : 0)
  return known.messages >= room ? { ...refusal, full: true } : undefined
}

/**
 * Puts an item into the inbox of its session.
 *
 * @returns whether its instance acquired the lease of the session
 */
export function addItem(stored: StoredSession, item: Accept, n: number): boolean {
  const { key, body, control, owner, mayClaim = true, resumes = false, leaseMs, title = '' } = item
  stored.inbox.set(key, { key, n, body, control, isAcknowledged: false, at: Date.now() })
  stored[control ? 'controls' : 'messages']++
  stored.status = 'active'
  if (stored.title === '' && stored.head === 0) stored.title = title
  if (resumes) Object.assign(stored, { setAside: undefined, crashes: 0, trial: false })
  const claimed =
    mayClaim &&
    stored.owner === undefined &&
    stored.setAside === undefined &&
    (control || !stored.parked)
  if (claimed) acquireLease(stored, owner, leaseMs)
  return claimed
}
