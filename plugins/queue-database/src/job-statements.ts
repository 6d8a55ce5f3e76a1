import { sql, statement, type Selectable } from '@amodal/sdk/database'
import { db, type Tables } from './tables.ts'

type JobRow = Selectable<Tables['queue_database_job']>

/** A job of {@link INSERT}, as JSON. */
export interface InsertedJob {
  readonly at: number
  readonly id: string
  readonly tenant: string
  readonly queue: string
  readonly key: string | null
  readonly grp: string | null
  readonly lane: string
  readonly principal: string | null
  readonly priority: number
  readonly due: number
  readonly deadline: number | null
  readonly attempt_ms: number | null
  readonly data: string
  readonly retries: string
}

interface Insert {
  /** JSON of a list of {@link InsertedJob}. */
  readonly jobs: string
  readonly now: number
  readonly channel: string
}

/**
 * Answers with those whose key is new; workers are woken when the transaction commits. Jobs with a
 * group may begin once {@link HEADS} says so.
 */
export const INSERT = statement(
  ({ jobs, now, channel }: Insert) => sql<Pick<JobRow, 'id'>>`
with new as materialized (
  select * from jsonb_to_recordset(${jobs}::jsonb) x(at int, id text, tenant text, queue text, key text, grp text, lane text, principal text,
    priority int, due bigint, deadline bigint, attempt_ms bigint, data text, retries text)),
made as (
  insert into queue_database_job (tenant, queue, id, key, grp, lane, head, principal, state, priority, due, deadline, attempt_ms, data, retries,
    published_at)
  select tenant, queue, id, key, grp, lane, grp is null, principal, case when due > ${now}::bigint then 'delayed' else 'waiting' end, priority, due, deadline,
    attempt_ms, data, retries, ${now}::bigint
  from new order by at
  on conflict (tenant, queue, key) where key is not null do nothing
  returning id, queue),
woken as materialized (select pg_notify(${channel}, queue) from (select distinct queue from made) q)
select id, (select count(*) from woken) as woken from made`,
)

export interface Group {
  readonly tenant: string
  readonly queue: string
  readonly grp: string
}

/** JSON for those that have a group; nothing where none has. */
export function groupsOf(
  jobs: readonly (Omit<Group, 'grp'> & { readonly grp: string | null })[],
): string | undefined {
  const groups = jobs.flatMap(({ tenant, queue, grp }) =>
    grp === null ? [] : [{ tenant, queue, grp }],
  )
  return groups.length === 0 ? undefined : JSON.stringify(groups)
}

/**
 * The locks of groups until the transaction ends, in one order everywhere. Whoever adds a job to a
 * group, or takes the first one out, holds its lock: neither misses the other.
 *
 * @param groups JSON of a list of {@link Group}
 */
export const LOCK_GROUPS = statement(
  ({ groups }: { groups: string }) => sql<never>`
with g as materialized (
  select distinct hashtextextended(concat_ws(chr(31), 'queue_database', tenant, queue, grp), 0) lock
  from jsonb_to_recordset(${groups}::jsonb) x(tenant text, queue text, grp text) order by 1)
select pg_advisory_xact_lock(lock)::text from g`,
)

/**
 * Where no job of a group may begin, the first one may. Looked for one group at a time: as a join
 * it would read the first jobs of all groups.
 */
export const HEADS = statement(
  ({ groups }: { groups: string }) => sql<never>`
with g as materialized (
  select distinct * from jsonb_to_recordset(${groups}::jsonb) x(tenant text collate "C", queue text collate "C", grp text collate "C"))
update queue_database_job r set head = true from g cross join lateral (
  select e.id from queue_database_job e
  where e.tenant = g.tenant and e.queue = g.queue and e.grp = g.grp and e.grp is not null
    and e.state in ('waiting', 'delayed', 'active') order by e.n limit 1) f
where r.id = f.id and (
  select e.id from queue_database_job e
  where e.tenant = g.tenant and e.queue = g.queue and e.grp = g.grp and e.grp is not null and e.head
    and e.state in ('waiting', 'delayed', 'active') limit 1) is null`,
)

/** The jobs that have these keys: JSON of a list of `InsertedJob`. */
export const KEYED = statement(
  ({ jobs }: { jobs: string }) => sql<Pick<JobRow, 'id'> & { readonly at: number }>`
select x.at, r.id from jsonb_to_recordset(${jobs}::jsonb) x(at int, tenant text collate "C", queue text collate "C", key text collate "C")
join queue_database_job r on r.tenant = x.tenant and r.queue = x.queue and r.key = x.key and r.key is not null`,
)

/** Since when the oldest job of each queue could begin. */
export const OLDEST = statement(({ now }: { readonly now: number }) =>
  db
    .selectFrom('queue_database_job')
    .select(['queue', sql<number>`min(due)`.as('due')])
    .where('state', 'in', ['waiting', 'delayed'])
    .where('due', '<=', now)
    .groupBy('queue'),
)

/** Processes whose lease holds. */
export const ALIVE = statement(() =>
  db
    .selectFrom('queue_database_worker')
    .select(sql<number>`count(*)`.as('processes'))
    .where(sql<boolean>`alive_until > clock_timestamp()`),
)

interface Counting {
  /** Of all queues where it is null. */
  readonly queue: string | null
  readonly now: number
}

export const COUNTS = statement(({ queue, now }: Counting) =>
  db
    .selectFrom('queue_database_job')
    .select([
      'queue',
      sql<number>`count(*) filter (where state = 'waiting' or (state = 'delayed' and due <= ${now}))`.as(
        'waiting',
      ),
      sql<number>`count(*) filter (where state = 'delayed' and due > ${now})`.as('delayed'),
      sql<number>`count(*) filter (where state = 'active')`.as('active'),
      sql<number>`count(*) filter (where state = 'dead')`.as('dead'),
    ])
    .where(sql<boolean>`state in ('waiting', 'delayed', 'active', 'dead')`)
    .where(sql<boolean>`queue = coalesce(${queue}::text, queue)`)
    .groupBy('queue')
    .orderBy('queue'),
)

interface DeadPage {
  readonly queue: string
  readonly limit: number
  /** Those that died before, or together with it and were published before. */
  readonly endedAt: number
  readonly n: number
}

export const DEAD = statement(({ queue, limit, endedAt, n }: DeadPage) =>
  db
    .selectFrom('queue_database_job')
    .select(['id', 'n', 'queue', 'tenant', 'key', 'grp', 'data', 'attempts', 'reason'])
    .select(['published_at', 'ended_at'])
    .where(sql<boolean>`state = 'dead'`)
    .where('queue', '=', queue)
    .where(sql<boolean>`(ended_at, n) < (${endedAt}::bigint, ${n}::bigint)`)
    .orderBy('ended_at', 'desc')
    .orderBy('n', 'desc')
    .limit(limit),
)

interface Redrive {
  readonly queue: string
  /** All of them where it is null. */
  readonly ids: readonly string[] | null
  readonly now: number
  readonly channel: string
}

/** Answers with their groups, for {@link HEADS}. */
export const REDRIVE = statement(
  ({ queue, ids, now, channel }: Redrive) => sql<Pick<JobRow, 'tenant' | 'queue' | 'grp'>>`
with back as (
  update queue_database_job set state = 'waiting', head = grp is null, attempts = 0, lost = 0, deadline = null, due = ${now}, ended_at = null
  where state = 'dead' and queue = ${queue} and (${ids}::text[] is null or id = any(${ids}::text[])) returning tenant, queue, grp),
woken as materialized (select pg_notify(${channel}, ${queue}) where exists (select from back))
select tenant, queue, grp, (select count(*) from woken) as woken from back`,
)

/** The groups of dead letters, for {@link LOCK_GROUPS}. */
export const DEAD_GROUPS = statement(
  ({ queue, ids }: Pick<Redrive, 'queue' | 'ids'>) => sql<Group>`
select distinct tenant, queue, grp from queue_database_job
where state = 'dead' and queue = ${queue} and grp is not null and (${ids}::text[] is null or id = any(${ids}::text[]))`,
)

export const GROUP_OF = statement(({ queue, id }: { queue: string; id: string }) =>
  db
    .selectFrom('queue_database_job')
    .select(['tenant', 'queue', 'grp'])
    .where('queue', '=', queue)
    .where('id', '=', id),
)

interface Cancel {
  readonly queue: string
  readonly id: string
  readonly now: number
  readonly channel: string
  readonly cancelChannel: string
}

/** The state is that before it. */
export const CANCEL = statement(
  ({ queue, id, now, channel, cancelChannel }: Cancel) => sql<{ readonly state: JobRow['state'] }>`
with was as materialized (select id, state, grp from queue_database_job where queue = ${queue} and id = ${id} for update),
u as (
  update queue_database_job r set cancelling = r.state = 'active',
    state = case when r.state = 'active' then r.state else 'cancelled' end,
    data = case when r.state = 'active' then r.data else '{}' end,
    ended_at = case when r.state = 'active' then null else ${now}::bigint end
  from was where r.id = was.id and was.state in ('waiting', 'delayed', 'active') returning r.id)
select was.state, case when was.state = 'active' then pg_notify(${cancelChannel}, was.id)::text
  when was.grp is not null then pg_notify(${channel}, ${queue})::text end as woken
from was left join u on true`,
)

interface Prune {
  readonly endedBefore: number
  readonly deadBefore: number
}

/** Up to 1,000 of them; the rest the next time. */
export const PRUNE = statement(
  ({ endedBefore, deadBefore }: Prune) => sql<Pick<JobRow, 'id'>>`
delete from queue_database_job where id in (
  select id from queue_database_job where ended_at is not null and ended_at < greatest(${endedBefore}::bigint, ${deadBefore}::bigint)
    and ended_at < case when state = 'dead' then ${deadBefore}::bigint else ${endedBefore}::bigint end
  limit 1000 for update skip locked) returning id`,
)

/** Processes that ended long ago. */
export const FORGET_WORKERS = statement(() =>
  db
    .deleteFrom('queue_database_worker')
    .where(sql<boolean>`alive_until < clock_timestamp() - interval '1 day'`),
)

export const LEAVE = statement(({ owner }: { owner: string }) =>
  db.deleteFrom('queue_database_worker').where('id', '=', owner),
)
