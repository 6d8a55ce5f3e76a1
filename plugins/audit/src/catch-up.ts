import {
  type AuditTrail,
  type SessionRef,
  readEntries,
  type SessionStore,
  type TenantId,
} from '@amodal/sdk'
import { draftsOfJournal } from './lines-of.ts'
import type { ChainStore } from './store.ts'

const PAGE = 100
/** Longer than any line waits in a process before it is written. */
const LOOK_BACK_MS = 10 * 60_000

/**
 * Writes lines for journal entries that are missing from the audit log because a process died
 * between the two writes. Lines that exist already are skipped.
 */
export async function catchUp(
  store: ChainStore,
  sessions: SessionStore,
  trail: AuditTrail,
  now: number,
  signal: AbortSignal,
): Promise<void> {
  const tenants = await store.tenants(signal)
  if (!tenants.ok) return
  for (const tenant of tenants.value) {
    for await (const ref of changedSince(sessions, tenant, now - LOOK_BACK_MS, signal)) {
      const stored = await sessions.entries(ref, { after: 0 }, signal)
      const entries = stored.ok ? readEntries(stored.value) : stored
      if (!entries.ok) continue
      for (const draft of draftsOfJournal(entries.value, ref)) trail.record(draft)
    }
  }
}

async function* changedSince(
  sessions: SessionStore,
  tenant: TenantId,
  since: number,
  signal: AbortSignal,
): AsyncGenerator<SessionRef> {
  let cursor: string | undefined
  do {
    const page = await sessions.list(
      tenant,
      { limit: PAGE, subagents: true, ...(cursor === undefined ? {} : { cursor }) },
      signal,
    )
    if (!page.ok) return
    for (const { session, updatedAt } of page.value.rows) {
      if (updatedAt < since) return
      yield { tenant, session }
    }
    cursor = page.value.next
  } while (cursor !== undefined)
}
