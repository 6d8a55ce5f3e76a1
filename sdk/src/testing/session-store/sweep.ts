import type { SessionRef } from '@amodal/kernel'
import { keepAll } from '../../ports/retention.ts'
import type { SessionStore } from '../../ports/session-store.ts'
import { signal, value } from './subject.ts'

/** What one sweep did. */
export interface Swept {
  readonly idle: readonly SessionRef[]
  readonly expired: readonly SessionRef[]
}

/**
 * One sweep over all sessions, as the loop makes it: overdue ones expire, then quiet ones become
 * idle.
 *
 * @param ms both times of every session
 * @param limit of each step
 * @throws where the store fails
 */
export async function sweepSessions(
  store: SessionStore,
  ms: number,
  limit: number,
): Promise<Swept> {
  const overdue = value(await store.overdue(keepAll(ms), limit, signal))
  const expired = value(await store.expire(overdue, signal))
  const idle = value(await store.idle(keepAll(ms), limit, signal))
  return { idle, expired }
}
