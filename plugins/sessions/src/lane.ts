import {
  instanceId,
  sessionId,
  tenantId,
  type Held,
  type InboxItem,
  type LaneRef,
  type LaneRow,
  type Row,
  type TakenLane,
} from '@amodal/sdk'

/**
 * The database's clock, in whole ms since the epoch. Whether something has expired is for no other
 * clock to say.
 */
export const NOW_MS = `floor(extract(epoch from clock_timestamp()) * 1000)::bigint`

export const LANE = `
select tenant, session, head, fence, owner, messages, controls, parked, state, status, crashes, set_aside, ${NOW_MS} now_ms
from sessions_lane where tenant = $1 and session = $2`

export const INBOX = `
select key, n, body, control from sessions_inbox
where tenant = $1 and session = $2 and not taken order by n`

/**
 * `$1`: rows of {@link heldRows}, `$2`: owner, `$3`: ms. A lease of no length is over at once,
 * whatever the margin of whoever looks for lapsed ones: this is how an owner hands its lanes over.
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

/** So many lanes with crashes, and fewer, are tried one by one. */
const FEW = 8

/**
 * `$1`: me, `$2`: margin in ms (below 0: every lane that is not mine), `$3`: lease in ms, `$4`: how
 * many that were handed over or that nobody has, `$5`: how many whose owner was lost, `$6`: whether
 * one of them may be put on trial, `$7`: rows of {@link heldRows}, which are mine and stay so.
 *
 * Lanes of lost owners are suspects: each counts a crash in the statement that takes it, so a crash
 * before its first commit counts as well. Those that never were lost before come first; then the
 * others, few at a time, and in the end one by one. A suspect that was lost on trial is convicted.
 * A lane that was handed over has no crashes, and my own are no suspects. Lanes that somebody is at
 * are left alone. What waits for a person has work once a question has expired. The first row is
 * there even if none is taken.
 */
export const TAKEOVER = `
with l as materialized (
  select tenant, session, lease_until, crashes, trial, owner is not null and owner <> $1 and lease_until > '-infinity' suspect
  from sessions_lane
  where (owner is not null or controls > 0 or (messages > 0 and not parked)) and set_aside is null
    and (owner is null or case when $2::float8 < 0 then owner <> $1 else lease_until < clock_timestamp() - $2::float8 * interval '1 ms' end)
    and (owner is distinct from $1 or (tenant, session, fence) not in (
      select h.tenant, h.session, h.fence from jsonb_to_recordset($7::jsonb) h(tenant text collate "C", session text collate "C", fence bigint)))
  union all
  select tenant, session, lease_until, crashes, trial, false from sessions_lane
  where due is not null and due <= ${NOW_MS} and owner is null and controls = 0 and parked and set_aside is null),
n as materialized (
  select count(*) filter (where suspect) suspects, count(*) filter (where suspect and crashes = 0) fresh,
    count(*) filter (where suspect and crashes > 0 and not trial) struck from l),
chosen as materialized (
  (select tenant, session, false alone from l where not suspect order by lease_until nulls first limit $4::int)
  union all
  (select tenant, session, false from l where suspect and trial limit $5::int)
  union all
  (select l.tenant, l.session, n.fresh = 0 and n.struck <= ${FEW} from l cross join n
   where l.suspect and not l.trial and case when n.fresh > 0 then l.crashes = 0 else n.struck > ${FEW} or $6::bool end
   order by l.crashes, l.lease_until
   limit (select least($5::int, case when fresh > 0 then $5::int when struck > ${FEW} then ${FEW} else 1 end) from n))),
d as materialized (
  select r.*, c.alone, r.owner is not null and r.owner <> $1 and r.lease_until > '-infinity' suspect
  from chosen c cross join lateral (
    select tenant, session, owner, lease_until, crashes, trial from sessions_lane r
    where r.tenant = c.tenant and r.session = c.session and r.set_aside is null
      and (r.owner is not null or r.controls > 0 or (r.messages > 0 and not r.parked) or (r.parked and r.due <= ${NOW_MS}))
      and (r.owner is null or case when $2::float8 < 0 then r.owner <> $1 else r.lease_until < clock_timestamp() - $2::float8 * interval '1 ms' end)
    for update skip locked) r),
u as (
  update sessions_lane r set owner = $1, fence = r.fence + 1, lease_until = clock_timestamp() + $3::float8 * interval '1 ms', claim = null,
    crashes = case when d.suspect then r.crashes + 1 when r.lease_until = '-infinity' then 0 else r.crashes end,
    trial = d.suspect and (r.trial or d.alone)
  from d where r.tenant = d.tenant and r.session = d.session
  returning r.tenant, r.session, r.head, r.fence, r.owner, r.messages, r.controls, r.parked, r.state, r.status, r.crashes, r.set_aside,
    r.trial, ${NOW_MS} now_ms, d.suspect, d.suspect and d.trial convicted)
select n.suspects, u.* from n left join u on true`

/** `$1`: tenant, `$2`: session, `$3`: fence, `$4`: crashes against it. */
export const ACQUIT = `
update sessions_lane set trial = false, crashes = $4::int where tenant = $1 and session = $2 and fence = $3 and owner is not null returning session`

/** The same, `$4`: why. */
export const SET_ASIDE = `
update sessions_lane set set_aside = $4, owner = null, lease_until = null, trial = false, status = 'active', updated_at = clock_timestamp()
where tenant = $1 and session = $2 and fence = $3 and owner is not null returning session`

export function takenOf(row: Row): TakenLane {
  return {
    ...laneOf(row),
    suspect: row['suspect'] === true,
    trial: row['trial'] === true,
    convicted: row['convicted'] === true,
  }
}

export function laneOf(row: Row): LaneRow {
  return {
    ...refOf(row),
    head: Number(row['head']),
    fence: Number(row['fence']),
    owner: typeof row['owner'] === 'string' ? instanceId(row['owner']) : undefined,
    messages: Number(row['messages']),
    controls: Number(row['controls']),
    parked: row['parked'] === true,
    state: String(row['state']),
    status: statusOf(row),
    crashes: Number(row['crashes']),
    ...(typeof row['set_aside'] === 'string' && { setAside: row['set_aside'] }),
    at: Number(row['now_ms']),
  }
}

export function refOf(row: Row): LaneRef {
  return { tenant: tenantId(String(row['tenant'])), session: sessionId(String(row['session'])) }
}

export function statusOf({ status }: Row): LaneRow['status'] {
  return status === 'idle' || status === 'expired' ? status : 'active'
}

export function itemOf(row: Row): InboxItem {
  return {
    key: String(row['key']),
    n: Number(row['n']),
    body: String(row['body']),
    control: row['control'] === true,
  }
}

export const heldRows = (held: readonly Held[]): string =>
  JSON.stringify(held.map(({ tenant, session, fence }) => ({ tenant, session, fence })))

export function heldOf(row: Row): Held & { readonly messages: number; readonly controls: number } {
  return {
    ...refOf(row),
    fence: Number(row['fence']),
    messages: Number(row['messages']),
    controls: Number(row['controls']),
  }
}
