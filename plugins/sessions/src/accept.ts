import type { Accept, Accepted } from '@amodal/sdk'
import { sql, statement } from '@amodal/sdk/database'
import { IDLE } from '@amodal/sdk/loop'
import { sessionRecordOf, NOW_MS, type RecordColumns } from './lease.ts'

const COUNTS = sql`excluded.messages + excluded.controls > 0`
const CLAIMS = sql`excluded.owner is not null and r.owner is null and (r.set_aside is null or excluded.set_aside is not null)
      and (excluded.controls > 0 or (excluded.messages > 0 and not r.parked))`

/** The row that {@link ACCEPT} returns for one item. */
type AcceptRow = {
  readonly fresh: boolean
  readonly earlier: string | null
  readonly claimed: boolean
  readonly now_ms: number
} & (Omit<RecordColumns, Given> | { readonly [Name in Exclude<keyof RecordColumns, Given>]: null })
type Given = 'tenant' | 'session' | 'now_ms'

/**
 * Puts items of many sessions into their inboxes, at most one for each session. The item, its count
 * and the claim of a session without an owner are written atomically. An item whose key exists
 * already is not counted, and returns the earlier item.
 *
 * - The first update on conflict changes no value: it makes a retry wait for its first attempt and
 *   read what that wrote (`xmax` is 0 only in a row that was inserted).
 * - A parked session is claimed by controls only. A session that is set aside is claimed by an item
 *   that resumes it: `resumes` is passed as a non-null `set_aside` in the excluded row. The
 *   excluded row has no `owner` when the item may not claim.
 * - The deadline of an item is compared with the clock after the session is locked, so a later
 *   owner sees every item that was accepted in time.
 * - `messages` counts a message until the first commit of its run. While an owned session is still
 *   idle, one more than `maxWaiting` is allowed: the oldest message is in progress, not waiting.
 *
 * Written as SQL, since every lock, wait and look-up in it is deliberate.
 *
 * @param items the result of {@link acceptRows}
 */
export const ACCEPT = statement(
  ({ items }: { items: string }) => sql<AcceptRow>`
with items as materialized (
  select * from jsonb_to_recordset(${items}::jsonb) x(n int, tenant text collate "C", session text collate "C", key text collate "C", body text,
    control bool, owner text collate "C", claims bool, resumes bool, lease_ms float8, until bigint, most int, state text, principal text, title text, meta text, kind text)
  order by tenant, session),
locked as materialized (
  select locked.*, ${NOW_MS} now_ms from items cross join lateral (
    select * from sessions_lane r where r.tenant = items.tenant and r.session = items.session for update) locked),
inserted as (
  insert into sessions_inbox as r (tenant, session, key, body, control)
  select items.tenant, items.session, items.key, items.body, items.control from items left join locked using (tenant, session)
  where case when locked.session is null then items.principal is not null else locked.status <> 'expired' and (items.until is null or locked.now_ms < items.until) and (
    items.most is null or locked.messages < items.most + (locked.owner is not null and locked.state = items.state)::int
    or exists (select from sessions_inbox earlier where earlier.tenant = items.tenant and earlier.session = items.session and earlier.key = items.key offset 0)) end
  order by 1, 2
  on conflict (tenant, session, key) do update set taken = r.taken
  returning r.tenant, r.session, r.body, r.xmax = 0 fresh),
merged as (
  insert into sessions_lane as r (tenant, session, head, fence, owner, lease_until, claim, work, messages, controls, set_aside, state, principal, title, meta, kind)
  select items.tenant, items.session, 0, items.claims::int, case when items.claims then items.owner end, clock_timestamp() + items.lease_ms * interval '1 ms', items.key, true,
    (inserted.fresh and not items.control)::int, (inserted.fresh and items.control)::int, case when items.resumes then '' end, items.state, coalesce(items.principal, ''), coalesce(items.title, ''), coalesce(items.meta, ''), coalesce(items.kind, 'chat')
  from items join inserted using (tenant, session) order by 1, 2
  on conflict (tenant, session) do update set
    messages = r.messages + excluded.messages, controls = r.controls + excluded.controls,
    work = r.work or ${COUNTS},
    owner = case when ${CLAIMS} then excluded.owner else r.owner end,
    fence = case when ${CLAIMS} then r.fence + 1 else r.fence end,
    lease_until = case when ${CLAIMS} then excluded.lease_until else r.lease_until end,
    claim = case when ${CLAIMS} then excluded.claim else r.claim end,
    set_aside = case when excluded.set_aside is null then r.set_aside end,
    crashes = case when excluded.set_aside is null then r.crashes else 0 end,
    trial = r.trial and excluded.set_aside is null,
    title = case when r.title = '' and r.head = 0 then excluded.title else r.title end,
    status = case when ${COUNTS} then 'active' else r.status end,
    idle_at = case when ${COUNTS} then null else r.idle_at end,
    updated_at = case when ${COUNTS} then clock_timestamp() else r.updated_at end
  returning r.*)
select coalesce(inserted.fresh, false) fresh, case when not inserted.fresh then inserted.body end earlier,
  coalesce(inserted.fresh and merged.claim = items.key and merged.owner = items.owner, false) claimed,
  coalesce(merged.head, locked.head) head, coalesce(merged.fence, locked.fence) fence, coalesce(merged.owner, locked.owner) owner,
  coalesce(merged.messages, locked.messages) messages, coalesce(merged.controls, locked.controls) controls,
  coalesce(merged.parked, locked.parked) parked, coalesce(merged.state, locked.state) state, coalesce(merged.status, locked.status) status,
  coalesce(merged.crashes, locked.crashes) crashes, case when merged.session is null then locked.set_aside else merged.set_aside end set_aside, coalesce(locked.now_ms, ${NOW_MS}) now_ms
from items left join locked using (tenant, session) left join inserted using (tenant, session) left join merged using (tenant, session)
order by items.n`,
)

/** State of a session without a run, as JSON. */
export const IDLE_STATE = JSON.stringify(IDLE)

/** The items of {@link ACCEPT}. Without a principal no session is created. */
export function acceptRows(items: readonly Accept[]): string {
  return JSON.stringify(
    items.map(
      (
        {
          tenant,
          session,
          key,
          body,
          control,
          owner,
          mayClaim = true,
          resumes = false,
          leaseMs,
          expiresAt,
          maxWaiting,
          title,
          create,
        },
        n,
      ) => ({
        n,
        tenant,
        session,
        key,
        body,
        control,
        owner,
        claims: mayClaim,
        resumes,
        lease_ms: leaseMs,
        until: expiresAt,
        most: maxWaiting,
        state: IDLE_STATE,
        title,
        ...create,
      }),
    ),
  )
}

export const acceptSize = ({ body }: Accept): number => body.length

/** What the row of an item says of it. */
export function acceptedOf(item: Accept, row: AcceptRow): Accepted {
  const { fresh, earlier, claimed, status, now_ms: now } = row
  const refused = !fresh && earlier === null && status !== null && status !== 'expired'
  const late = refused && item.expiresAt !== undefined && now >= item.expiresAt
  const full = refused && item.maxWaiting !== undefined
  return {
    isNew: fresh,
    ...(earlier !== null && { earlier }),
    ...(row.status !== null && {
      sessionRecord: sessionRecordOf({ ...row, tenant: item.tenant, session: item.session }),
    }),
    claimed,
    ...(late && { late }),
    ...(full && { full }),
  }
}
