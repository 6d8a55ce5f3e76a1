import {
  ok,
  sessionId,
  tenantId,
  type Failure,
  type Result,
  type SessionRow,
  type SessionStore,
} from '@amodal/sdk'
import { SESSION_KINDS } from '@amodal/sdk/loop'
import type { SessionRelations } from '@amodal/plugin-sessions/tokens'
import type { CountedTenant, DatabaseUsage, UncountedSession } from './database-store.ts'
import type { JournalReader } from './journal-reader.ts'
import type { StoredRun } from './run-usage.ts'

/** Sessions that are looked at, and runs that are written, at once. */
const PAGE = 100
/** Longer than the clocks of a server and its database differ. */
const LOOK_BACK_MS = 10 * 60_000

type Outcome<T> = Promise<Result<T, Failure>>

interface CatchUpParts {
  readonly store: DatabaseUsage
  readonly sessions: SessionStore
  /** Absent where sessions are stored by another plugin. */
  readonly relations: SessionRelations | undefined
  readonly journal: JournalReader
}

/**
 * Counts runs that ended without a row, because a process died between the two. Looks at sessions
 * that changed since the last time, and in those at what is newer than their newest row.
 *
 * @param now ms since the epoch
 * @returns how many runs it has counted
 */
export async function catchUp(
  parts: CatchUpParts,
  now: number,
  signal: AbortSignal,
): Outcome<number> {
  const tenants = await parts.store.tenants(signal)
  if (!tenants.ok) return tenants
  const counted = parts.relations
    ? await catchUpFound(parts, parts.relations, signal)
    : await catchUpListed(parts, tenants.value, signal)
  if (!counted.ok) return counted
  const names = tenants.value.map(({ tenant }) => tenant)
  const written = await parts.store.compared(names, now, signal)
  return written.ok ? counted : written
}

/** One statement finds the sessions, and only those are read. */
async function catchUpFound(
  parts: CatchUpParts,
  relations: SessionRelations,
  signal: AbortSignal,
): Outcome<number> {
  const found = await parts.store.uncounted(relations, LOOK_BACK_MS, signal)
  if (!found.ok) return found
  let counted = 0
  for (let from = 0; from < found.value.length; from += PAGE) {
    const runs = await countSessions(parts, found.value.slice(from, from + PAGE), signal)
    if (!runs.ok) return runs
    counted += runs.value
  }
  return ok(counted)
}

async function catchUpListed(
  parts: CatchUpParts,
  tenants: readonly CountedTenant[],
  signal: AbortSignal,
): Outcome<number> {
  let counted = 0
  for (const tenant of tenants) {
    const runs = await catchUpTenant(parts, tenant, signal)
    if (!runs.ok) return runs
    counted += runs.value
  }
  return ok(counted)
}

async function catchUpTenant(
  parts: CatchUpParts,
  { tenant, compared }: CountedTenant,
  signal: AbortSignal,
): Outcome<number> {
  const since = compared - LOOK_BACK_MS
  let counted = 0
  let cursor: string | undefined
  do {
    const page = await parts.sessions.list(
      tenantId(tenant),
      {
        limit: PAGE,
        subagents: true,
        kinds: SESSION_KINDS,
        ...(cursor === undefined ? {} : { cursor }),
      },
      signal,
    )
    if (!page.ok) return page
    const changed = page.value.rows.filter(({ updatedAt }) => updatedAt >= since)
    const runs = await countPage(parts, tenant, changed, signal)
    if (!runs.ok) return runs
    counted += runs.value
    cursor = changed.length < page.value.rows.length ? undefined : page.value.next
  } while (cursor !== undefined)
  return ok(counted)
}

async function countPage(
  parts: CatchUpParts,
  tenant: string,
  rows: readonly SessionRow[],
  signal: AbortSignal,
): Outcome<number> {
  if (rows.length === 0) return ok(0)
  const latest = await parts.store.latest(
    tenant,
    rows.map(({ session }) => session),
    signal,
  )
  if (!latest.ok) return latest
  const sessions = rows.map(({ session, head }) => ({
    ref: { tenant: tenantId(tenant), session: sessionId(session) },
    head,
    latest: latest.value.get(session) ?? 0,
  }))
  return countSessions(
    parts,
    sessions.filter((one) => one.head > one.latest),
    signal,
  )
}

async function countSessions(
  { store, journal }: CatchUpParts,
  sessions: readonly UncountedSession[],
  signal: AbortSignal,
): Outcome<number> {
  const runs: StoredRun[] = []
  for (const { ref, head, latest } of sessions) {
    const missing = await journal.missing(ref, { upto: head, latest }, signal)
    if (!missing.ok) return missing
    runs.push(...missing.value)
  }
  if (runs.length === 0) return ok(0)
  const added = await store.add(runs, signal)
  return added.ok ? ok(runs.length) : added
}
