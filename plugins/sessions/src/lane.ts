import { instanceId, sessionId, tenantId, type Held, type InboxItem, type LaneRef, type LaneRow, type Row } from '@amodal/sdk'

export const LANE = `
select tenant, session, head, fence, owner, messages, controls, parked, state, status
from sessions_lane where tenant = $1 and session = $2`

export const INBOX = `
select key, n, body, control from sessions_inbox
where tenant = $1 and session = $2 and not taken order by n`

/**
 * `$1`: rows of {@link heldRows}, `$2`: owner, `$3`: ms. A lease of no length is over at once, whatever the margin of
 * whoever looks for lapsed ones: this is how an owner hands its lanes over.
 */
export const RENEW = `
with c as materialized (
  select * from jsonb_to_recordset($1::jsonb) x(tenant text collate "C", session text collate "C", fence bigint) order by tenant, session),
l as materialized (
  select l.* from c cross join lateral (
    select r.tenant, r.session from sessions_lane r
    where r.tenant = c.tenant and r.session = c.session and r.fence = c.fence and r.owner = $2 for update) l)
update sessions_lane r set lease_until = case when $3::float8 > 0 then clock_timestamp() + $3::float8 * interval '1 ms' else '-infinity' end
from l where r.tenant = l.tenant and r.session = l.session
returning r.tenant, r.session, r.fence, r.messages, r.controls`

/** `$1`: me, `$2`: margin in ms (below 0: every lane that is not mine), `$3`: lease in ms, `$4`: how many. Lanes that somebody is at are left alone. */
export const TAKEOVER = `
with d as materialized (
  select tenant, session from sessions_lane
  where (owner is not null or controls > 0 or (messages > 0 and not parked))
    and (owner is null or case when $2::float8 < 0 then owner <> $1 else lease_until < clock_timestamp() - $2::float8 * interval '1 ms' end)
  order by lease_until nulls first limit $4::int for update skip locked)
update sessions_lane r set owner = $1, fence = r.fence + 1, lease_until = clock_timestamp() + $3::float8 * interval '1 ms', claim = null
from d where r.tenant = d.tenant and r.session = d.session
returning r.tenant, r.session, r.head, r.fence, r.owner, r.messages, r.controls, r.parked, r.state, r.status`

export function laneOf(row: Row): LaneRow {
  return {
    ...refOf(row),
    head: Number(row['head']), fence: Number(row['fence']),
    owner: typeof row['owner'] === 'string' ? instanceId(row['owner']) : undefined,
    messages: Number(row['messages']), controls: Number(row['controls']),
    parked: row['parked'] === true, state: String(row['state']), status: statusOf(row),
  }
}

export function refOf(row: Row): LaneRef {
  return { tenant: tenantId(String(row['tenant'])), session: sessionId(String(row['session'])) }
}

export function statusOf({ status }: Row): LaneRow['status'] {
  return status === 'idle' || status === 'expired' ? status : 'active'
}

export function itemOf(row: Row): InboxItem {
  return { key: String(row['key']), n: Number(row['n']), body: String(row['body']), control: row['control'] === true }
}

export const heldRows = (held: readonly Held[]): string => JSON.stringify(held.map(({ tenant, session, fence }) => ({ tenant, session, fence })))

export function heldOf(row: Row): Held & { readonly messages: number; readonly controls: number } {
  return { ...refOf(row), fence: Number(row['fence']), messages: Number(row['messages']), controls: Number(row['controls']) }
}
