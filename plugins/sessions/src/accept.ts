import { IDLE, type Accept, type Accepted, type Row } from '@amodal/sdk'
import { laneOf } from './lane.ts'

const COUNTS = 'excluded.messages + excluded.controls > 0'
const CLAIMS = 'r.owner is null and (excluded.controls > 0 or (excluded.messages > 0 and not r.parked))'

/**
 * Puts items of many sessions into their inboxes, of one session at most one: the item, its count and the claim of
 * the idle lane become true together. A key that is there already counts for nothing, and brings the earlier item.
 *
 * The first update on conflict changes nothing: it makes a repetition wait for its first try and see what that wrote
 * (`xmax` is 0 in a row that was inserted, and not in one that was there).
 * A lane that is parked for a person is claimed by controls only.
 *
 * `$1`: what {@link acceptRows} makes.
 */
export const ACCEPT = `
with c as materialized (
  select * from jsonb_to_recordset($1::jsonb) x(n int, tenant text collate "C", session text collate "C", key text collate "C", body text,
    control bool, owner text collate "C", lease_ms float8, state text, principal text, title text, meta text)
  order by tenant, session),
l as materialized (
  select l.* from c cross join lateral (
    select * from sessions_lane r where r.tenant = c.tenant and r.session = c.session for update) l),
i as (
  insert into sessions_inbox as r (tenant, session, key, body, control)
  select c.tenant, c.session, c.key, c.body, c.control from c left join l using (tenant, session)
  where case when l.session is null then c.principal is not null else l.status <> 'expired' end
  order by 1, 2
  on conflict (tenant, session, key) do update set taken = r.taken
  returning r.tenant, r.session, r.body, r.xmax = 0 fresh),
m as (
  insert into sessions_lane as r (tenant, session, head, fence, owner, lease_until, claim, messages, controls, state, principal, title, meta)
  select c.tenant, c.session, 0, 1, c.owner, clock_timestamp() + c.lease_ms * interval '1 ms', c.key,
    (i.fresh and not c.control)::int, (i.fresh and c.control)::int, c.state, coalesce(c.principal, ''), coalesce(c.title, ''), coalesce(c.meta, '')
  from c join i using (tenant, session) order by 1, 2
  on conflict (tenant, session) do update set
    messages = r.messages + excluded.messages, controls = r.controls + excluded.controls,
    owner = case when ${CLAIMS} then excluded.owner else r.owner end,
    fence = case when ${CLAIMS} then r.fence + 1 else r.fence end,
    lease_until = case when ${CLAIMS} then excluded.lease_until else r.lease_until end,
    claim = case when ${CLAIMS} then excluded.claim else r.claim end,
    status = case when ${COUNTS} then 'active' else r.status end,
    idle_at = case when ${COUNTS} then null else r.idle_at end,
    updated_at = case when ${COUNTS} then clock_timestamp() else r.updated_at end
  returning r.*)
select coalesce(i.fresh, false) fresh, case when not i.fresh then i.body end earlier,
  coalesce(i.fresh and m.claim = c.key and m.owner = c.owner, false) claimed,
  coalesce(m.head, l.head) head, coalesce(m.fence, l.fence) fence, coalesce(m.owner, l.owner) owner,
  coalesce(m.messages, l.messages) messages, coalesce(m.controls, l.controls) controls,
  coalesce(m.parked, l.parked) parked, coalesce(m.state, l.state) state, coalesce(m.status, l.status) status
from c left join l using (tenant, session) left join i using (tenant, session) left join m using (tenant, session)
order by c.n`

const STATE = JSON.stringify(IDLE)

/** `$1` of {@link ACCEPT}. Without a principal no lane is made. */
export function acceptRows(items: readonly Accept[]): string {
  return JSON.stringify(items.map(({ tenant, session, key, body, control, owner, leaseMs, create }, n) => ({
    n, tenant, session, key, body, control, owner, lease_ms: leaseMs, state: STATE, ...create,
  })))
}

export const acceptSize = ({ body }: Accept): number => body.length

/** A row of {@link ACCEPT}. */
export function acceptedOf(item: Accept, row: Row): Accepted {
  const { fresh, earlier, claimed, status } = row
  return {
    fresh: fresh === true,
    ...(typeof earlier === 'string' && { earlier }),
    ...(status !== null && { lane: laneOf({ ...row, tenant: item.tenant, session: item.session }) }),
    claimed: claimed === true,
  }
}
