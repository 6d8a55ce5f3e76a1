import type { TenantId } from '@amodal/sdk'
import { runIn, sql, statement } from '@amodal/sdk/database'
import type { RunStatement } from './rule-statements.ts'
import { HELD_TOO_LONG, newRun, type NewRun, type Ref, type Run, type RunEnd } from './run.ts'
import type { ClaimRequest } from './store.ts'
import { db } from './tables.ts'

export const oneRun = ({ tenant, id }: Ref) =>
  db.selectFrom('automations_run').selectAll().where('tenant', '=', tenant).where('id', '=', id)

/** The newest first. */
export const runsOf = (tenant: TenantId, automation: string) =>
  db
    .selectFrom('automations_run')
    .selectAll()
    .where('tenant', '=', tenant)
    .where('automation', '=', automation)
    .orderBy('created_at', 'desc')
    .orderBy('due', 'desc')

export const lastCompletedOf = (tenant: TenantId, automation: string) =>
  runsOf(tenant, automation)
    .where(sql<boolean>`status = 'completed'`)
    .limit(1)

/** The newest run of each automation. */
export const lastRunsOf = (tenant: TenantId) =>
  db
    .selectFrom('automations_rule as rule')
    .innerJoinLateral(
      (eb) =>
        eb
          .selectFrom('automations_run')
          .selectAll('automations_run')
          .whereRef('automations_run.tenant', '=', 'rule.tenant')
          .whereRef('automations_run.automation', '=', 'rule.automation')
          .orderBy('created_at', 'desc')
          .orderBy('due', 'desc')
          .limit(1)
          .as('last'),
      (join) => join.onTrue(),
    )
    .selectAll('last')
    .where('rule.tenant', '=', tenant)
    .where('rule.retired', '=', false)

/** One that is in progress. */
export const running = (tenant: TenantId, automation: string) =>
  db
    .selectFrom('automations_run')
    .select('id')
    .where('tenant', '=', tenant)
    .where('automation', '=', automation)
    .where('ended_at', 'is', null)
    .where('started_at', 'is not', null)
    .limit(1)

export const openRuns = (limit: number) =>
  db
    .selectFrom('automations_run')
    .selectAll()
    .where('ended_at', 'is', null)
    .where('status', 'not in', ['held', 'waiting'])
    .orderBy('created_at')
    .limit(limit)

export const startedBefore = (before: number) =>
  db
    .selectFrom('automations_run')
    .selectAll()
    .where('ended_at', 'is', null)
    .where('status', '<>', 'waiting')
    .where('started_at', '<', before)
    .limit(100)

/** A run as it is written, under the names of its columns. */
interface InsertedRun {
  readonly tenant: string
  readonly id: string
  readonly automation: string
  readonly occurrence: string
  readonly source: string
  readonly due: number
  readonly in_order: boolean
  readonly created_at: number
  readonly event: string | null
}

const INSERT = statement(
  ({ runs }: { runs: string }) => sql<Pick<InsertedRun, 'tenant' | 'id'>>`
insert into automations_run (tenant, id, automation, occurrence, source, due, in_order, status, created_at, event)
select tenant, id, automation, occurrence, source, due, in_order, 'queued', created_at, event
from jsonb_to_recordset(${runs}::jsonb) x(tenant text, id text, automation text, occurrence text, source text, due bigint, in_order boolean,
  created_at bigint, event text)
order by tenant, id
on conflict do nothing returning tenant, id`,
)

/** Without those whose occurrence is known: that row is what makes it run once. */
export async function insertRuns(
  run: RunStatement,
  drafts: readonly { readonly draft: NewRun; readonly now: number }[],
): Promise<readonly (Run | undefined)[]> {
  if (drafts.length === 0) return []
  const made = drafts.map(({ draft, now }) => newRun(draft, now))
  const runs = made.map(
    ({ tenant, id, automation, occurrence, source, due, createdAt, event }, at): InsertedRun => ({
      tenant,
      id,
      automation,
      occurrence,
      source,
      due,
      in_order: drafts[at]?.draft.inOrder ?? false,
      created_at: createdAt,
      event: event === undefined ? null : JSON.stringify(event),
    }),
  )
  const rows = await runIn(run, INSERT({ runs: JSON.stringify(runs) }))
  const fresh = new Set(rows.map(({ tenant, id }) => JSON.stringify([tenant, id])))
  return made.map((one) => (fresh.has(JSON.stringify([one.tenant, one.id])) ? one : undefined))
}

export const beginRun = (ref: Ref, { plan, session, now }: ClaimRequest) =>
  updateOf(ref)
    .set({
      status: 'running',
      started_at: now,
      plan: JSON.stringify(plan),
      session: session ?? null,
    })
    .returningAll()

export const skipRun = (ref: Ref, now: number, why: string) =>
  updateOf(ref).set({ status: 'skipped', ended_at: now, error: why, event: null }).returningAll()

export const holdRun = (ref: Ref, until: number) =>
  updateOf(ref)
    .set((eb) => ({ status: 'held', held_until: until, holds: eb('holds', '+', 1) }))
    .returningAll()

/** No row where it is not in progress. */
export const waitRun = (ref: Ref, now: number) =>
  updateOf(ref)
    .set({ status: 'waiting', waiting_since: now })
    .where(sql<boolean>`status = 'running'`)
    .returningAll()

/** No row where it does not wait. */
export const wakeRun = (ref: Ref, now: number) =>
  updateOf(ref)
    .set((eb) => ({
      status: 'running',
      waiting_since: null,
      waited_ms: sql<number>`waited_ms + greatest(0, ${now}::bigint - coalesce(waiting_since, ${now}::bigint))`,
      wakes: eb('wakes', '+', 1),
    }))
    .where(sql<boolean>`status = 'waiting'`)
    .returningAll()

export const waitingRuns = (limit: number) =>
  db
    .selectFrom('automations_run')
    .selectAll()
    .where(sql<boolean>`status = 'waiting'`)
    .orderBy('waiting_since')
    .limit(limit)

/** Queues what is held of an automation. */
export const freeHeld = (tenant: TenantId, automation: string) =>
  db
    .updateTable('automations_run')
    .set({ status: 'queued', held_until: null })
    .where('tenant', '=', tenant)
    .where('automation', '=', automation)
    .where(sql<boolean>`status = 'held'`)
    .returningAll()

/** Skips what was held for as long as it may be. */
export const letGoHeld = (now: number) =>
  db
    .updateTable('automations_run')
    .set({
      status: 'skipped',
      ended_at: now,
      held_until: null,
      error: HELD_TOO_LONG,
      event: null,
    })
    .where(sql<boolean>`status = 'held'`)
    .where('held_until', '<=', now)

/**
 * No row where it had ended before. In words that the index of open runs does not have: without
 * statistics it would be taken for the key, and all open runs read to find one.
 */
export const endRun = (ref: Ref, end: RunEnd) =>
  updateOf(ref)
    .set({
      status: end.status,
      ended_at: end.at,
      result: end.result ?? null,
      error: end.error ?? null,
      refused: JSON.stringify(end.refused),
      event: null,
      plan: null,
    })
    .where(sql<boolean>`coalesce(ended_at, 0) = 0`)
    .returningAll()

const updateOf = ({ tenant, id }: Ref) =>
  db.updateTable('automations_run').where('tenant', '=', tenant).where('id', '=', id)

export const pruneRuns = (before: number) =>
  db.deleteFrom('automations_run').where('ended_at', '<', before)
