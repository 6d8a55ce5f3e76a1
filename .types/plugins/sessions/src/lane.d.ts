import { type Held, type InboxItem, type LaneRef, type LaneRow, type Row, type TakenLane } from '@amodal/sdk';
/** The database's clock, in whole ms since the epoch. Whether something has expired is for no other clock to say. */
export declare const NOW_MS = "floor(extract(epoch from clock_timestamp()) * 1000)::bigint";
export declare const LANE = "\nselect tenant, session, head, fence, owner, messages, controls, parked, state, status, crashes, set_aside, floor(extract(epoch from clock_timestamp()) * 1000)::bigint now_ms\nfrom sessions_lane where tenant = $1 and session = $2";
export declare const INBOX = "\nselect key, n, body, control from sessions_inbox\nwhere tenant = $1 and session = $2 and not taken order by n";
/**
 * `$1`: rows of {@link heldRows}, `$2`: owner, `$3`: ms. A lease of no length is over at once, whatever the margin of
 * whoever looks for lapsed ones: this is how an owner hands its lanes over.
 */
export declare const RENEW = "\nwith c as materialized (\n  select * from jsonb_to_recordset($1::jsonb) x(tenant text collate \"C\", session text collate \"C\", fence bigint) order by tenant, session),\nl as materialized (\n  select l.* from c cross join lateral (\n    select r.tenant, r.session from sessions_lane r\n    where r.tenant = c.tenant and r.session = c.session and r.fence = c.fence and r.owner = $2 for update) l)\nupdate sessions_lane r set lease_until = case when $3::float8 > 0 then clock_timestamp() + $3::float8 * interval '1 ms' else '-infinity' end\nfrom l where r.tenant = l.tenant and r.session = l.session\nreturning r.tenant, r.session, r.fence, r.messages, r.controls";
/**
 * `$1`: me, `$2`: margin in ms (below 0: every lane that is not mine), `$3`: lease in ms, `$4`: how many that were handed
 * over or that nobody has, `$5`: how many whose owner was lost, `$6`: whether one of them may be put on trial,
 * `$7`: rows of {@link heldRows}, which are mine and stay so.
 *
 * Lanes of lost owners are suspects: each counts a crash in the statement that takes it, so a crash before its first commit
 * counts as well. Those that never were lost before come first; then the others, few at a time, and in the end one by one.
 * A suspect that was lost on trial is convicted. A lane that was handed over has no crashes, and my own are no suspects.
 * Lanes that somebody is at are left alone. What waits for a person has work once a question has expired. The first row is there even if none is taken.
 */
export declare const TAKEOVER = "\nwith l as materialized (\n  select tenant, session, lease_until, crashes, trial, owner is not null and owner <> $1 and lease_until > '-infinity' suspect\n  from sessions_lane\n  where (owner is not null or controls > 0 or (messages > 0 and not parked)) and set_aside is null\n    and (owner is null or case when $2::float8 < 0 then owner <> $1 else lease_until < clock_timestamp() - $2::float8 * interval '1 ms' end)\n    and (owner is distinct from $1 or (tenant, session, fence) not in (\n      select h.tenant, h.session, h.fence from jsonb_to_recordset($7::jsonb) h(tenant text collate \"C\", session text collate \"C\", fence bigint)))\n  union all\n  select tenant, session, lease_until, crashes, trial, false from sessions_lane\n  where due is not null and due <= floor(extract(epoch from clock_timestamp()) * 1000)::bigint and owner is null and controls = 0 and parked and set_aside is null),\nn as materialized (\n  select count(*) filter (where suspect) suspects, count(*) filter (where suspect and crashes = 0) fresh,\n    count(*) filter (where suspect and crashes > 0 and not trial) struck from l),\nchosen as materialized (\n  (select tenant, session, false alone from l where not suspect order by lease_until nulls first limit $4::int)\n  union all\n  (select tenant, session, false from l where suspect and trial limit $5::int)\n  union all\n  (select l.tenant, l.session, n.fresh = 0 and n.struck <= 8 from l cross join n\n   where l.suspect and not l.trial and case when n.fresh > 0 then l.crashes = 0 else n.struck > 8 or $6::bool end\n   order by l.crashes, l.lease_until\n   limit (select least($5::int, case when fresh > 0 then $5::int when struck > 8 then 8 else 1 end) from n))),\nd as materialized (\n  select r.*, c.alone, r.owner is not null and r.owner <> $1 and r.lease_until > '-infinity' suspect\n  from chosen c cross join lateral (\n    select tenant, session, owner, lease_until, crashes, trial from sessions_lane r\n    where r.tenant = c.tenant and r.session = c.session and r.set_aside is null\n      and (r.owner is not null or r.controls > 0 or (r.messages > 0 and not r.parked) or (r.parked and r.due <= floor(extract(epoch from clock_timestamp()) * 1000)::bigint))\n      and (r.owner is null or case when $2::float8 < 0 then r.owner <> $1 else r.lease_until < clock_timestamp() - $2::float8 * interval '1 ms' end)\n    for update skip locked) r),\nu as (\n  update sessions_lane r set owner = $1, fence = r.fence + 1, lease_until = clock_timestamp() + $3::float8 * interval '1 ms', claim = null,\n    crashes = case when d.suspect then r.crashes + 1 when r.lease_until = '-infinity' then 0 else r.crashes end,\n    trial = d.suspect and (r.trial or d.alone)\n  from d where r.tenant = d.tenant and r.session = d.session\n  returning r.tenant, r.session, r.head, r.fence, r.owner, r.messages, r.controls, r.parked, r.state, r.status, r.crashes, r.set_aside,\n    r.trial, floor(extract(epoch from clock_timestamp()) * 1000)::bigint now_ms, d.suspect, d.suspect and d.trial convicted)\nselect n.suspects, u.* from n left join u on true";
/** `$1`: tenant, `$2`: session, `$3`: fence, `$4`: crashes against it. */
export declare const ACQUIT = "\nupdate sessions_lane set trial = false, crashes = $4::int where tenant = $1 and session = $2 and fence = $3 and owner is not null returning session";
/** The same, `$4`: why. */
export declare const SET_ASIDE = "\nupdate sessions_lane set set_aside = $4, owner = null, lease_until = null, trial = false, status = 'active', updated_at = clock_timestamp()\nwhere tenant = $1 and session = $2 and fence = $3 and owner is not null returning session";
export declare function takenOf(row: Row): TakenLane;
export declare function laneOf(row: Row): LaneRow;
export declare function refOf(row: Row): LaneRef;
export declare function statusOf({ status }: Row): LaneRow['status'];
export declare function itemOf(row: Row): InboxItem;
export declare const heldRows: (held: readonly Held[]) => string;
export declare function heldOf(row: Row): Held & {
    readonly messages: number;
    readonly controls: number;
};
