import {
  instanceId,
  sessionId,
  tenantId,
  type HeldSession,
  type InboxItem,
  type InstanceId,
  type SessionRef,
  type SessionRecord,
  type AcquiredSession,
} from '@amodal/sdk'
import { sql, statement, type Selectable } from '@amodal/sdk/database'
import { db, type Tables } from './tables.ts'

type SessionTableRow = Selectable<Tables['sessions_lane']>
type Inbox = Selectable<Tables['sessions_inbox']>

/**
 * The database's clock, in whole ms since the epoch. Only this clock decides whether something has
 * expired.
 */
export const NOW_MS = sql<number>`floor(extract(epoch from clock_timestamp()) * 1000)::bigint`

const COLUMNS = [
  'tenant',
  'session',
  'head',
  'fence',
  'owner',
  'messages',
  'controls',
  'parked',
  'state',
  'status',
  'crashes',
  'set_aside',
] as const

export type RecordColumns = Pick<SessionTableRow, (typeof COLUMNS)[number]> & {
  readonly now_ms: number
}

export const SESSION_RECORD = statement(({ tenant, session }: SessionRef) =>
  db
    .selectFrom('sessions_lane')
    .select(COLUMNS)
    .select(NOW_MS.as('now_ms'))
    .where('tenant', '=', tenant)
    .where('session', '=', session),
)

export const INBOX = statement(({ tenant, session }: SessionRef) =>
  db
    .selectFrom('sessions_inbox')
    .select(['key', 'n', 'body', 'control'])
    .where('tenant', '=', tenant)
    .where('session', '=', session)
    .where((eb) => eb.not('taken'))
    .orderBy('n'),
)

interface Renew {
  /** Made by {@link heldRows}. */
  readonly held: string
  readonly owner: InstanceId
  readonly leaseMs: number
}

type HeldRow = Pick<SessionTableRow, 'tenant' | 'session' | 'fence' | 'messages' | 'controls'>

/**
 * A lease of length 0 expires at once, whatever margin a takeover uses: this is how an owner
 * returns its sessions. Written as SQL, like every statement that locks several sessions.
 */
export const RENEW = statement(
  ({ held, owner, leaseMs }: Renew) => sql<HeldRow>`
with held as materialized (
  select * from jsonb_to_recordset(${held}::jsonb) x(tenant text collate "C", session text collate "C", fence bigint) order by tenant, session),
locked as materialized (
  select locked.* from held cross join lateral (
    select r.tenant, r.session from sessions_lane r
    where r.tenant = held.tenant and r.session = held.session and r.fence = held.fence and r.owner = ${owner} for update) locked)
update sessions_lane r set lease_until = case when ${leaseMs}::float8 > 0 then clock_timestamp() + ${leaseMs}::float8 * interval '1 ms' else '-infinity' end
from locked where r.tenant = locked.tenant and r.session = locked.session
returning r.tenant, r.session, r.fence, r.messages, r.controls`,
)

const HAS_WORK = sql`(owner is not null or controls > 0 or (messages > 0 and not parked))`
/** How long a session without work stays marked as one that may have work. */
const MARK_DURATION = sql`interval '5 minutes'`
const MAX_UNMARKED_AT_ONCE = sql.lit(1_000)

/** Up to this many sessions with crashes are tried one by one. */
const MAX_TRIED_ALONE = sql.lit(8)

interface TakeOver {
  readonly me: InstanceId
  /** Below 0: every session that is not mine. */
  readonly marginMs: number
  readonly leaseMs: number
  /** Limit of sessions that were returned by their owner or have none. */
  readonly limit: number
  /** Limit of sessions whose owner was lost. */
  readonly maxSuspects: number
  /** Whether one of them may be put on trial. */
  readonly trial: boolean
  /** The sessions that this instance holds and does not release: the result of {@link heldRows}. */
  readonly held: string
}

type AcquiredColumns = RecordColumns &
  Pick<SessionTableRow, 'trial'> & { readonly suspect: boolean; readonly convicted: boolean }

/** `suspects_found`: the number of sessions of lost owners, acquired ones included. */
type TakeoverRow = { readonly suspects_found: number } & (
  | AcquiredColumns
  | { readonly [Name in keyof AcquiredColumns]: null }
)

/**
 * Acquires sessions without an owner, or whose lease has lapsed:
 *
 * - Sessions of lost owners are suspects. Each counts a crash in the statement that acquires it, so
 *   a crash before its first commit counts as well. Those without an earlier crash come first, then
 *   the others, eight at a time, and in the end one by one. A suspect whose owner is lost while it
 *   runs alone (`trial`) is `convicted`: it caused the crash.
 * - A session that its owner returned (a lease of length 0) has no crashes, and an instance's own
 *   sessions are no suspects.
 * - Locked sessions are skipped. A parked session has work once a question has expired.
 * - There is always a first row, even if no session is acquired.
 * - Written as SQL, like every statement that locks several sessions.
 *
 * A session that may have work is marked (`work`). The mark stays after its last turn, so that a
 * turn changes no index, and is removed here some time later.
 */
export const TAKEOVER = statement(
  ({ me, marginMs, leaseMs, limit, maxSuspects, trial, held }: TakeOver) => sql<TakeoverRow>`
with available as materialized (
  select tenant, session, lease_until, crashes, trial, owner is not null and owner <> ${me} and lease_until > '-infinity' suspect
  from sessions_lane
  where work and ${HAS_WORK} and set_aside is null
    and (owner is null or case when ${marginMs}::float8 < 0 then owner <> ${me} else lease_until < clock_timestamp() - ${marginMs}::float8 * interval '1 ms' end)
    and (owner is distinct from ${me} or (tenant, session, fence) not in (
      select h.tenant, h.session, h.fence from jsonb_to_recordset(${held}::jsonb) h(tenant text collate "C", session text collate "C", fence bigint)))
  union all
  select tenant, session, lease_until, crashes, trial, false from sessions_lane
  where due is not null and due <= ${NOW_MS} and owner is null and controls = 0 and parked and set_aside is null),
counts as materialized (
  select count(*) filter (where suspect) suspects_found, count(*) filter (where suspect and crashes = 0) fresh,
    count(*) filter (where suspect and crashes > 0 and not trial) crashed from available),
chosen as materialized (
  (select tenant, session, false alone from available where not suspect order by lease_until nulls first limit ${limit}::int)
  union all
  (select tenant, session, false from available where suspect and trial limit ${maxSuspects}::int)
  union all
  (select available.tenant, available.session, counts.fresh = 0 and counts.crashed <= ${MAX_TRIED_ALONE} from available cross join counts
   where available.suspect and not available.trial and case when counts.fresh > 0 then available.crashes = 0 else counts.crashed > ${MAX_TRIED_ALONE} or ${trial}::bool end
   order by available.crashes, available.lease_until
   limit (select least(${maxSuspects}::int, case when fresh > 0 then ${maxSuspects}::int when crashed > ${MAX_TRIED_ALONE} then ${MAX_TRIED_ALONE} else 1 end) from counts))),
locked as materialized (
  select r.*, c.alone, r.owner is not null and r.owner <> ${me} and r.lease_until > '-infinity' suspect
  from chosen c cross join lateral (
    select tenant, session, owner, lease_until, crashes, trial from sessions_lane r
    where r.tenant = c.tenant and r.session = c.session and r.set_aside is null
      and (r.owner is not null or r.controls > 0 or (r.messages > 0 and not r.parked) or (r.parked and r.due <= ${NOW_MS}))
      and (r.owner is null or case when ${marginMs}::float8 < 0 then r.owner <> ${me} else r.lease_until < clock_timestamp() - ${marginMs}::float8 * interval '1 ms' end)
    for update skip locked) r),
acquired as (
  update sessions_lane r set owner = ${me}, work = true, fence = r.fence + 1, lease_until = clock_timestamp() + ${leaseMs}::float8 * interval '1 ms', claim = null,
    crashes = case when locked.suspect then r.crashes + 1 when r.lease_until = '-infinity' then 0 else r.crashes end,
    trial = locked.suspect and (r.trial or locked.alone)
  from locked where r.tenant = locked.tenant and r.session = locked.session
  returning r.tenant, r.session, r.head, r.fence, r.owner, r.messages, r.controls, r.parked, r.state, r.status, r.crashes, r.set_aside,
    r.trial, ${NOW_MS} now_ms, locked.suspect, locked.suspect and locked.trial convicted),
without_work as materialized (
  select tenant, session from sessions_lane
  where work and not ${HAS_WORK} and updated_at < clock_timestamp() - ${MARK_DURATION}
  limit ${MAX_UNMARKED_AT_ONCE} for update skip locked),
unmarked as (
  update sessions_lane r set work = false from without_work where r.tenant = without_work.tenant and r.session = without_work.session)
select counts.suspects_found, acquired.* from counts left join acquired on true`,
)

const holding = (held: HeldSession) =>
  db
    .updateTable('sessions_lane')
    .where('tenant', '=', held.tenant)
    .where('session', '=', held.session)
    .where('fence', '=', held.fencingToken)
    .where('owner', 'is not', null)
    .returning('session')

export const END_TRIAL = statement((held: HeldSession & { crashes: number }) =>
  holding(held).set({ trial: false, crashes: held.crashes }),
)

export const SET_ASIDE = statement((held: HeldSession & { why: string }) =>
  holding(held).set({
    set_aside: held.why,
    owner: null,
    lease_until: null,
    trial: false,
    status: 'active',
    updated_at: sql<Date>`clock_timestamp()`,
  }),
)

export const isAcquired = (
  row: TakeoverRow,
): row is { readonly suspects_found: number } & AcquiredColumns => row.session !== null

export const acquiredSessionOf = (row: AcquiredColumns): AcquiredSession => ({
  ...sessionRecordOf(row),
  suspect: row.suspect,
  trial: row.trial,
  convicted: row.convicted,
})

export const sessionRecordOf = (row: RecordColumns): SessionRecord => ({
  ...refOf(row),
  head: row.head,
  fencingToken: row.fence,
  owner: row.owner === null ? undefined : instanceId(row.owner),
  messages: row.messages,
  controls: row.controls,
  parked: row.parked,
  state: row.state,
  status: row.status,
  crashes: row.crashes,
  ...(row.set_aside !== null && { setAside: row.set_aside }),
  at: row.now_ms,
})

export const refOf = ({
  tenant,
  session,
}: Pick<SessionTableRow, 'tenant' | 'session'>): SessionRef => ({
  tenant: tenantId(tenant),
  session: sessionId(session),
})

export const itemOf = ({
  key,
  n,
  body,
  control,
}: Pick<Inbox, 'key' | 'n' | 'body' | 'control'>): InboxItem => ({ key, n, body, control })

export const heldRows = (held: readonly HeldSession[]): string =>
  JSON.stringify(
    held.map(({ tenant, session, fencingToken: fence }) => ({ tenant, session, fence })),
  )

export const heldOf = (
  row: HeldRow,
): HeldSession & { readonly messages: number; readonly controls: number } => ({
  ...refOf(row),
  fencingToken: row.fence,
  messages: row.messages,
  controls: row.controls,
})
