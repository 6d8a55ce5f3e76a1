import {
  err,
  failure,
  ok,
  type Failure,
  type PrincipalId,
  type Result,
  type SessionRow,
  type SessionStore,
  type TenantId,
} from '@amodal/sdk'
import type { SessionTable } from './session-table.ts'
import { matchesPage, sessionRow, type StoredSession } from './stored-session.ts'
import { subagentOf } from './totals.ts'

type Page = Parameters<SessionStore['list']>[1]

/** Whether it is a session of this tenant, and of this principal if one is given. */
export const isOf = (
  { ref, principal }: StoredSession,
  tenant: TenantId,
  wanted: PrincipalId | undefined,
): boolean => ref.tenant === tenant && (wanted === undefined || principal === wanted)

/** One page of the sessions of a tenant, most recently used first. */
export function listPage(
  table: SessionTable,
  tenant: TenantId,
  page: Page,
): Result<{ readonly rows: readonly SessionRow[]; readonly next: string | undefined }, Failure> {
  const { limit, cursor, principal, subagents = false } = page
  if (cursor !== undefined && !/^\d{1,15}$/.test(cursor))
    return err(failure('VALIDATION_ERROR', 'cursor: was not returned by a list of sessions'))
  const before = cursor === undefined ? Infinity : Number(cursor)
  const sessions = table
    .filter(
      (stored) =>
        isOf(stored, tenant, principal) &&
        stored.used < before &&
        (subagents || subagentOf(stored) === undefined) &&
        matchesPage(stored, page),
    )
    .sort((a, b) => b.used - a.used)
  const rows = sessions.slice(0, limit)
  return ok({
    rows: rows.map(sessionRow),
    next: sessions.length > limit ? rows.at(-1)?.used.toString() : undefined,
  })
}
