import {
  type AuditTrail,
  type Database,
  type Failure,
  type Logger,
  ok,
  readEntries,
  type Result,
  sessionId,
  type SessionRef,
  type SessionStore,
  tenantId,
  type TenantId,
} from '@amodal/sdk'
import { runQuery } from '@amodal/sdk/database'
import type { SessionRelations } from '@amodal/plugin-sessions/tokens'
import { draftsOf, draftsOfJournal } from './lines-of.ts'
import type { ChainStore } from './store.ts'
import { unwrittenOf } from './unwritten.ts'

const PAGE = 100
/** Longer than any line waits in a process before it is written. */
const LOOK_BACK_MS = 10 * 60_000

interface CatchUpParts {
  readonly store: ChainStore
  readonly sessions: SessionStore
  readonly database: Database
  /** Absent where sessions are stored by another plugin. */
  readonly relations: SessionRelations | undefined
  readonly trail: AuditTrail
  readonly log: Logger
}

/** A session whose lines may not all be written. */
interface Unwritten {
  readonly ref: SessionRef
  /** In a fork: entries up to here belong to its parent. */
  readonly forkedAt: number | undefined
}

/**
 * Writes lines for journal entries that are missing from the audit log because a process died
 * between the two writes. Lines that exist already are skipped.
 *
 * @param now ms since the epoch
 */
export async function catchUp(
  parts: CatchUpParts,
  now: number,
  signal: AbortSignal,
): Promise<void> {
  const { relations, log } = parts
  const caughtUp = relations
    ? await fromDatabase(parts, relations, now, signal)
    : await fromStore(parts, now - LOOK_BACK_MS, signal)
  if (!caughtUp.ok && !signal.aborted)
    log.warn('audit.not_caught_up', { message: caughtUp.error.message })
}

async function fromDatabase(
  parts: CatchUpParts,
  relations: SessionRelations,
  now: number,
  signal: AbortSignal,
): Promise<Result<void, Failure>> {
  const search = unwrittenOf(relations)({ now, lookBack: LOOK_BACK_MS })
  const found = await runQuery(parts.database, search, signal)
  if (!found.ok) return found
  for (const { tenant, session, forked_at: forkedAt } of found.value)
    await writeLines(
      parts,
      {
        ref: { tenant: tenantId(tenant), session: sessionId(session) },
        forkedAt: forkedAt ?? undefined,
      },
      signal,
    )
  return ok(undefined)
}

/** Every session that changed since then is read. */
async function fromStore(
  parts: CatchUpParts,
  since: number,
  signal: AbortSignal,
): Promise<Result<void, Failure>> {
  const tenants = await parts.store.tenants(signal)
  if (!tenants.ok) return tenants
  for (const tenant of tenants.value)
    for await (const session of changedSince(parts.sessions, tenant, since, signal))
      await writeLines(parts, session, signal)
  return ok(undefined)
}

async function* changedSince(
  sessions: SessionStore,
  tenant: TenantId,
  since: number,
  signal: AbortSignal,
): AsyncGenerator<Unwritten> {
  let cursor: string | undefined
  do {
    const page = await sessions.list(
      tenant,
      { limit: PAGE, subagents: true, ...(cursor === undefined ? {} : { cursor }) },
      signal,
    )
    if (!page.ok) return
    for (const { session, updatedAt, forkedAt } of page.value.rows) {
      if (updatedAt < since) return
      yield { ref: { tenant, session }, forkedAt }
    }
    cursor = page.value.next
  } while (cursor !== undefined)
}

async function writeLines(
  { sessions, trail }: CatchUpParts,
  { ref, forkedAt }: Unwritten,
  signal: AbortSignal,
): Promise<void> {
  const stored = await sessions.entries(ref, { after: forkedAt ?? 0 }, signal)
  const entries = stored.ok ? readEntries(stored.value) : stored
  if (!entries.ok) return
  const drafts =
    forkedAt === undefined
      ? draftsOfJournal(entries.value, ref)
      : entries.value.flatMap((entry) => draftsOf(entry, ref))
  for (const draft of drafts) trail.record(draft)
}
