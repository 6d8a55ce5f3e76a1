import { sql, statement, type RawBuilder, type Selectable } from '@amodal/sdk/database'
import type { Tables } from './tables.ts'

/*
 * By hand, like all statements that lock several rows: which index finds them is meant, and the
 * conditions of partial indexes are text.
 */

type JobRow = Selectable<Tables['queue_database_job']>

const fromNow = (ms: RawBuilder<number> | number): RawBuilder<Date> =>
  sql<Date>`clock_timestamp() + ${ms}::float8 * interval '1 ms'`

/** Delayed jobs that are due by now. */
export const PROMOTE = statement(
  ({ queues, now }: { queues: readonly string[]; now: number }) => sql<never>`
with d as materialized (
  select d.id from unnest(${queues}::text[]) q(queue) cross join lateral (
    select r.id from queue_database_job r where r.state = 'delayed' and r.queue = q.queue and r.due <= ${now}
    order by r.due limit 1000 for update skip locked) d)
update queue_database_job r set state = 'waiting' from d where r.id = d.id`,
)

interface Reap {
  readonly queues: readonly string[]
  readonly process: string
  /** No other process can reach the database, so claims of others are left over from a crash. */
  readonly alone: boolean
}

/** Jobs of workers that are lost may begin again; whoever claims one sees how often it was lost. */
export const REAP = statement(
  ({ queues, process, alone }: Reap) => sql<never>`
with d as materialized (
  select r.id from queue_database_job r
  where r.state = 'active' and r.queue = any(${queues}::text[])
    and case when ${alone}::boolean then split_part(r.owner, ':', 1) <> ${process}
      else not exists (select from queue_database_worker w where w.id = r.owner and w.alive_until > clock_timestamp()) end
  for update skip locked)
update queue_database_job r set state = 'waiting', owner = null, lost = r.lost + 1, reason = 'its worker was lost'
from d where r.id = d.id`,
)

/**
 * Claims of these queues go one after the other until the transaction ends: limits count what
 * others have claimed, and two that pick at once would pick the same.
 */
export const LOCK_CLAIMS = statement(
  ({ queues }: { queues: readonly string[] }) => sql<never>`
with q as materialized (
  select distinct hashtextextended(concat_ws(chr(31), 'queue_database claim', queue), 0) lock from unnest(${queues}::text[]) x(queue)
  order by 1)
select pg_advisory_xact_lock(lock)::text from q`,
)

interface Claiming {
  readonly queues: readonly string[]
  readonly limits: readonly number[]
  /** Active jobs of one tenant at most, by queue. */
  readonly perTenant: readonly number[]
  /** Of each queue, the tenant that was served last. */
  readonly after: readonly string[]
  /** JSON of a list of {@link LaneLimit}. */
  readonly lanes: string
  /** Lanes of each queue that are looked at. */
  readonly mostLanes: number
  /** Decides between lanes that are even. */
  readonly salt: string
  readonly owner: string
  readonly leaseMs: number
}

/** Active jobs of a lane of one tenant at most. */
export interface LaneLimit {
  readonly queue: string
  readonly lane: string
  readonly most: number
}

/** Where neither a tenant nor a lane has a limit. */
export const UNLIMITED = 1_000_000_000

type ClaimedColumns = Pick<
  JobRow,
  | 'id'
  | 'queue'
  | 'tenant'
  | 'key'
  | 'grp'
  | 'principal'
  | 'priority'
  | 'data'
  | 'retries'
  | 'deadline'
  | 'attempt_ms'
  | 'attempts'
  | 'lost'
  | 'cancelling'
  | 'fence'
  | 'reason'
  | 'published_at'
>
interface ClaimFacts {
  readonly next_due: number | null
  /** The last tenant that was looked at, of each queue that had more lanes. */
  readonly stopped_at: Readonly<Record<string, string>> | null
}
type ClaimRow = ClaimFacts & (ClaimedColumns | { readonly [Name in keyof ClaimedColumns]: null })
export const wasClaimed = (row: ClaimRow): row is ClaimFacts & ClaimedColumns => row.id !== null

/**
 * Of each queue so many; of a group the first one alone. Whoever claims is alive from then on. The
 * first row is there even if none is claimed.
 *
 * `l` are the lanes of all tenants with jobs that may begin, one step along the index each, from
 * the tenant behind the last one on and around; so the jobs behind the first ones of a lane are not
 * read. `k` are the first jobs of each lane within its limits, `j` their order within their
 * tenant. The n-th of a tenant counts as what it would be with those that are active.
 */
export const CLAIM = statement(
  ({
    queues,
    limits,
    perTenant,
    after,
    lanes,
    mostLanes,
    salt,
    owner,
    leaseMs,
  }: Claiming) => sql<ClaimRow>`
with recursive w as materialized (
  select * from unnest(${queues}::text[], ${limits}::int[], ${perTenant}::int[], ${after}::text[]) w(queue, most, per_tenant, after)),
l(queue, part, tenant, lane, step) as (
  select w.queue, 0, f.tenant, f.lane, 1 from w cross join lateral (
    select r.tenant, r.lane from queue_database_job r where r.state = 'waiting' and r.head and r.queue = w.queue
      and (r.tenant, r.lane) > (w.after, '') order by r.tenant, r.lane limit 1) f
  union all
  select w.queue, 1, f.tenant, f.lane, 1 from w cross join lateral (
    select r.tenant, r.lane from queue_database_job r where r.state = 'waiting' and r.head and r.queue = w.queue
    order by r.tenant, r.lane limit 1) f
  where (f.tenant, f.lane) <= (w.after, '')
  union all
  select l.queue, l.part, n.tenant, n.lane, l.step + 1 from l join w on w.queue = l.queue cross join lateral (
    select r.tenant, r.lane from queue_database_job r where r.state = 'waiting' and r.head and r.queue = l.queue
      and (r.tenant, r.lane) > (l.tenant, l.lane) order by r.tenant, r.lane limit 1) n
  where l.step < ${mostLanes}::int and (l.part = 0 or (n.tenant, n.lane) <= (w.after, ''))),
a as materialized (
  select r.queue, r.tenant, r.lane, count(*)::int busy from queue_database_job r
  where r.state = 'active' and r.queue = any(${queues}::text[]) group by 1, 2, 3),
v as materialized (
  select l.queue, l.tenant, l.lane, w.most, w.per_tenant, l.tenant <= w.after waits, coalesce(a.busy, 0) lane_busy,
    coalesce((select sum(t.busy)::int from a t where t.queue = l.queue and t.tenant = l.tenant), 0) tenant_busy,
    coalesce(x.most, ${UNLIMITED}::int) per_lane
  from l join w on w.queue = l.queue left join a on a.queue = l.queue and a.tenant = l.tenant and a.lane = l.lane
    left join jsonb_to_recordset(${lanes}::jsonb) x(queue text, lane text, most int) on x.queue = l.queue and x.lane = l.lane),
k as (
  select v.*, c.id, c.priority, c.n,
    v.lane_busy + row_number() over (partition by v.queue, v.tenant, v.lane order by c.priority desc, c.n) lane_place
  from v cross join lateral (
    select r.id, r.priority, r.n from queue_database_job r
    where r.state = 'waiting' and r.head and r.queue = v.queue and r.tenant = v.tenant and r.lane = v.lane
    order by r.priority desc, r.n
    limit greatest(0, least(v.most, v.per_lane - v.lane_busy, v.per_tenant - v.tenant_busy))) c),
j as (
  select k.*, k.tenant_busy + row_number() over (
    partition by k.queue, k.tenant order by k.priority desc, k.lane_place, hashtext(k.lane || ${salt}), k.n) tenant_place from k),
p as (
  select j.id, j.most, row_number() over (partition by j.queue order by j.tenant_place, j.waits, j.tenant) place from j
  where j.tenant_place <= j.per_tenant),
c as materialized (
  select r.id, p.place from p join queue_database_job r on r.id = p.id
  where p.place <= p.most and r.state = 'waiting' for update of r skip locked),
b as (
  insert into queue_database_worker (id, alive_until)
  select ${owner}, ${fromNow(leaseMs)} where exists (select from c)
  on conflict (id) do update set alive_until = excluded.alive_until),
u as (
  update queue_database_job r set state = 'active', owner = ${owner}, fence = r.fence + 1
  from c where r.id = c.id
  returning c.place, r.id, r.queue, r.tenant, r.key, r.grp, r.principal, r.priority, r.data, r.retries, r.deadline, r.attempt_ms,
    r.attempts, r.lost, r.cancelling, r.fence, r.reason, r.published_at)
select (select min(d.due) from w cross join lateral (
    select due from queue_database_job r where r.state = 'delayed' and r.queue = w.queue order by due limit 1) d) next_due,
  (select jsonb_object_agg(l.queue, l.tenant) from l where l.part = 0 and l.step >= ${mostLanes}::int) stopped_at,
  u.id, u.queue, u.tenant, u.key, u.grp, u.principal, u.priority, u.data, u.retries, u.deadline, u.attempt_ms, u.attempts, u.lost,
  u.cancelling, u.fence, u.reason, u.published_at
from (select 1) one left join u on true order by u.place`,
)

/** The process is alive; what it has still claimed. */
export const BEAT = statement(
  ({ owner, leaseMs }: { owner: string; leaseMs: number }) => sql<
    Pick<JobRow, 'id' | 'queue' | 'fence' | 'cancelling'>
  >`
with b as (
  insert into queue_database_worker (id, alive_until) values (${owner}, ${fromNow(leaseMs)})
  on conflict (id) do update set alive_until = excluded.alive_until)
select id, queue, fence, cancelling from queue_database_job where owner = ${owner} and state = 'active'`,
)

/** What becomes of a claimed job. */
export interface SettledJob {
  readonly id: string
  readonly fence: number
  readonly state: 'done' | 'waiting' | 'delayed' | 'dead'
  readonly due: number
  readonly attempts: number
  readonly reason: string | null
  readonly now: number
}

interface Settle {
  readonly owner: string
  /** JSON of a list of {@link SettledJob}. */
  readonly jobs: string
  readonly channel: string
}

/**
 * A job without a key that is done goes; others are kept for their key, or as dead letters. Where
 * it ends, the next one of its group may begin; the caller holds the locks of the groups. Workers
 * are woken for what may begin now. Answers with the jobs that were still claimed.
 */
export const SETTLE = statement(
  ({ owner, jobs, channel }: Settle) => sql<Pick<JobRow, 'id'>>`
with mine as materialized (
  select s.*, r.key, r.cancelling
  from (
    select * from jsonb_to_recordset(${jobs}::jsonb) x(id text collate "C", fence bigint, state text, due bigint, attempts int, reason text, now bigint)
    order by id) s
  cross join lateral (
    select r.key, r.cancelling from queue_database_job r
    where r.id = s.id and r.owner = ${owner} and r.fence = s.fence and r.state = 'active' for update) r),
gone as (
  delete from queue_database_job r using mine
  where r.id = mine.id and mine.key is null and not mine.cancelling and mine.state = 'done'
  returning r.id, r.tenant, r.queue, r.grp, true ended, false ready),
kept as (
  update queue_database_job r set owner = null, attempts = mine.attempts, reason = mine.reason, due = mine.due,
    state = case when mine.cancelling then 'cancelled' else mine.state end,
    data = case when mine.state = 'done' or mine.cancelling then '{}' else r.data end,
    ended_at = case when mine.cancelling or mine.state in ('done', 'dead') then mine.now end
  from mine where r.id = mine.id and (mine.key is not null or mine.cancelling or mine.state <> 'done')
  returning r.id, r.tenant, r.queue, r.grp, r.ended_at is not null ended, r.state = 'waiting' ready),
x as materialized (select * from gone union all select * from kept),
next as (
  update queue_database_job r set head = true from x cross join lateral (
    select e.id from queue_database_job e
    where e.tenant = x.tenant and e.queue = x.queue and e.grp = x.grp and e.grp is not null
      and e.state in ('waiting', 'delayed', 'active') and e.id <> x.id order by e.n limit 1) f
  where x.ended and r.id = f.id returning r.queue),
woken as materialized (
  select pg_notify(${channel}, queue) from (select queue from x where ready union select queue from next) q)
select x.id, (select count(*) from woken) as woken from x`,
)
