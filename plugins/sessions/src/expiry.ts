import type { Retention } from '@amodal/sdk'
import { sql, statement, type RawBuilder } from '@amodal/sdk/database'
import { NEEDED } from './session-row.ts'
import { db } from './tables.ts'

/** No instance owns it and its inbox is empty. */
const QUIET = sql<boolean>`r.owner is null and r.messages = 0 and r.controls = 0 and r.set_aside is null`

/** The time so many ms ago. */
const ago = (ms: number | RawBuilder<number>): RawBuilder<Date> =>
  sql<Date>`clock_timestamp() - ${ms}::float8 * interval '1 ms'`

type Status = 'active' | 'idle'

// As text of the statement: a partial index fits no parameter.
const HAS: Readonly<Record<Status, RawBuilder<boolean>>> = {
  active: sql<boolean>`status = 'active'`,
  idle: sql<boolean>`status = 'idle'`,
}

/**
 * The tenants with sessions of this status, each found by one step along the index, and the time of
 * each of their kinds; kinds without a time never expire. The beginning of a statement.
 *
 * @param times the result of {@link timesOf}
 */
const retentionOf = (status: Status, times: string) => sql`
with recursive t(tenant) as (
  (select tenant from sessions_lane where ${HAS[status]} order by tenant limit 1)
  union all
  select (select n.tenant from sessions_lane n where ${HAS[status]} and n.tenant > t.tenant order by n.tenant limit 1)
  from t where t.tenant is not null),
p as materialized (select * from jsonb_to_recordset(${times}::jsonb) x(tenant text collate "C", kind text collate "C", ms float8)),
k as materialized (
  select t.tenant, d.kind, case when o.kind is null then d.ms else o.ms end ms
  from t join p d on d.tenant is null left join p o on o.tenant = t.tenant and o.kind = d.kind
  where case when o.kind is null then d.ms else o.ms end is not null)`

/** Times of all kinds, as JSON for {@link retentionOf}; those that are not limited are null. */
export function timesOf({ kinds, tenants }: Retention, which: 'idleMs' | 'expireMs'): string {
  const all = [[null, kinds] as const, ...tenants]
  return JSON.stringify(
    all.flatMap(([tenant, times]) =>
      Object.entries(times).map(([kind, time]) => ({ tenant, kind, ms: time[which] ?? null })),
    ),
  )
}

interface Sweep {
  /** Of {@link timesOf}. */
  readonly times: string
  readonly limit: number
}

interface Ref {
  readonly tenant: string
  readonly session: string
}

/**
 * The oldest of each tenant. Locked sessions are skipped until the next round.
 */
export const TO_IDLE = statement(
  ({ times, limit }: Sweep) => sql<Ref>`${retentionOf('active', times)},
a as materialized (select tenant, min(ms) least, jsonb_object_agg(kind, ms) by_kind from k group by tenant),
old as materialized (
  select o.tenant, o.session from a cross join lateral (
    select r.tenant, r.session from sessions_lane r
    where r.tenant = a.tenant and r.status = 'active' and ${QUIET} and r.bucket < ${ago(sql`a.least`)}
      and r.updated_at < ${ago(sql`(a.by_kind ->> r.kind)`)}
    order by r.bucket, r.updated_at limit ${limit}::int for update skip locked) o
  limit ${limit}::int)
update sessions_lane r set status = 'idle', idle_at = clock_timestamp()
from old where r.tenant = old.tenant and r.session = old.session
returning r.tenant, r.session`,
)

interface Late extends Sweep {
  /** Minimum ms for sessions that wait for a person. */
  readonly parkedTtlMs: number
}

/**
 * The oldest idle ones of each tenant and kind. A session whose entries a fork still shows stays
 * idle.
 */
export const OVERDUE = statement(
  ({ times, limit, parkedTtlMs }: Late) => sql<Ref & { readonly head: number }>`
${retentionOf('idle', times)}
select o.tenant, o.session, o.head from k cross join lateral (
  select r.tenant, r.session, r.head, r.idle_at from sessions_lane r
  where r.tenant = k.tenant and r.kind = k.kind and r.status = 'idle' and ${QUIET} and not ${NEEDED}
    and r.idle_at < ${ago(sql`k.ms`)}
    and (not r.parked or r.idle_at < ${ago(parkedTtlMs)})
  order by r.idle_at limit ${limit}::int) o
order by o.idle_at limit ${limit}::int`,
)

/**
 * Those that have not changed. The rows stay locked for {@link EXPIRE}.
 *
 * @param rows with `tenant`, `session` and `head`, as JSON
 */
export const LOCK_OVERDUE = statement(
  ({ rows }: { rows: string }) => sql<Ref>`
select r.tenant, r.session
from jsonb_to_recordset(${rows}::jsonb) x(tenant text collate "C", session text collate "C", head bigint)
join sessions_lane r on r.tenant = x.tenant and r.session = x.session
where r.status = 'idle' and r.head = x.head and ${QUIET}
order by r.tenant, r.session for update of r skip locked`,
)

/**
 * Repeats the check for forks: one may have been created before the lock was acquired.
 *
 * @param rows of {@link LOCK_OVERDUE} as JSON
 * @param state of a session without a run
 */
export const EXPIRE = statement(({ rows, state }: { rows: string; state: string }) =>
  db
    .with('expired', (within) =>
      within
        .updateTable('sessions_lane as r')
        .from(
          sql<Ref>`jsonb_to_recordset(${rows}::jsonb)`.as<'x'>(
            sql`x(tenant text collate "C", session text collate "C")`,
          ),
        )
        .set({ status: 'expired', state, parked: false, due: null })
        .whereRef('r.tenant', '=', 'x.tenant')
        .whereRef('r.session', '=', 'x.session')
        .where((eb) => eb.not(NEEDED))
        .returning(['r.tenant', 'r.session', 'r.lane']),
    )
    .with('deleted_entries', (within) =>
      within
        .deleteFrom('sessions_journal as b')
        .using('expired')
        .whereRef('b.lane', '=', 'expired.lane'),
    )
    .with('deleted_items', (within) =>
      within
        .deleteFrom('sessions_inbox as b')
        .using('expired')
        .whereRef('b.tenant', '=', 'expired.tenant')
        .whereRef('b.session', '=', 'expired.session'),
    )
    .selectFrom('expired')
    .select(['tenant', 'session']),
)

/** Where a round of {@link FORGET_KEYS} ended. */
export interface InboxPlace {
  readonly tenant: string
  readonly session: string
  readonly key: string
}
export const INBOX_START: InboxPlace = { tenant: '', session: '', key: '' }

interface Forget extends InboxPlace {
  readonly ttlMs: number
  /** Items that are read. */
  readonly limit: number
}

/**
 * Deletes items that were acknowledged so many ms ago: their keys are no longer recognised. Reads a
 * limited number in the order of their keys, and returns the last one, or no row at the end, so
 * that rounds go through all items in turn without an index by age.
 */
export const FORGET_KEYS = statement(
  ({ tenant, session, key, ttlMs, limit }: Forget) => sql<InboxPlace>`
with page as materialized (
  select tenant, session, key, taken, at from sessions_inbox
  where (tenant, session, key) > (${tenant}, ${session}, ${key})
  order by tenant, session, key limit ${limit}::int),
old as materialized (
  select r.tenant, r.session, r.key from page p cross join lateral (
    select tenant, session, key from sessions_inbox r
    where r.tenant = p.tenant and r.session = p.session and r.key = p.key for update skip locked) r
  where p.taken and p.at < ${ago(ttlMs)}),
gone as (
  delete from sessions_inbox r using old where r.tenant = old.tenant and r.session = old.session and r.key = old.key)
select tenant, session, key from page order by tenant, session, key offset ${limit}::int - 1`,
)
