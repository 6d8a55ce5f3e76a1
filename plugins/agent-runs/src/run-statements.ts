import { sql, statement } from '@amodal/sdk/database'
import type { JsonObject } from '@amodal/sdk'
import type { EndedRunStatus } from '@amodal/sdk/wire'
import { db, type RunRow } from './tables.ts'

/** Tells other instances of a run, as `TENANT SESSION`. */
export const CHANNEL = 'agent_runs'

const NOW = sql<Date>`clock_timestamp()`
/** The condition of the index of keys: true of every run. */
const HAS_KEY = sql<boolean>`idem <> ''`
/** The same of the one by time. */
const HAS_TIME = sql<boolean>`created_at > '-infinity'`

/** A run as it is written, under the names of its columns. */
export interface NewRun {
  readonly tenant: string
  readonly session: string
  readonly principal: string
  readonly roles: readonly string[]
  readonly idem: string
  readonly request_hash: string
  readonly profile: string
  readonly task: string
  readonly params: JsonObject | null
  readonly limits: JsonObject
  readonly webhook: string | null
  readonly webhook_link: boolean
}

interface Insert {
  /** JSON of a list of {@link NewRun}. */
  readonly runs: string
  /** Their jobs are published in the same transaction. */
  readonly published: boolean
}

/** Those whose key was not used before. */
export const INSERT = statement(
  ({ runs, published }: Insert) => sql<RunRow>`
insert into agent_runs_run (tenant, session, principal, roles, idem, request_hash, profile, task, params, limits, webhook, webhook_link, published)
select tenant, session, principal, roles, idem, request_hash, profile, task, nullif(params, 'null'), limits, webhook, webhook_link, ${published}::boolean
from jsonb_to_recordset(${runs}::jsonb) x(tenant text, session text, principal text, roles text[], idem text, request_hash text, profile text,
  task text, params jsonb, limits jsonb, webhook text, webhook_link boolean)
order by tenant, session
on conflict (tenant, principal, idem) where idem <> '' do nothing
returning *`,
)

interface Key {
  readonly tenant: string
  readonly principal: string
  readonly idem: string
}

export const BY_KEY = statement(({ tenant, principal, idem }: Key) =>
  db
    .selectFrom('agent_runs_run')
    .selectAll()
    .where('tenant', '=', tenant)
    .where('principal', '=', principal)
    .where('idem', '=', idem)
    .where(HAS_KEY),
)

export const BY_SESSION = statement(({ session }: { session: string }) =>
  db.selectFrom('agent_runs_run').selectAll().where('session', '=', session),
)

/** JSON of a list of runs, each with its `tenant` and `session`. */
interface Named {
  readonly runs: string
}

/**
 * Runs for those who are to drive them: begins the first attempt of those that nobody has begun,
 * which `begun` tells. By hand, like all that locks several runs.
 */
export const TAKE = statement(
  ({ runs }: Named) => sql<RunRow & { readonly begun: boolean }>`
with x as materialized (
  select * from jsonb_to_recordset(${runs}::jsonb) x(tenant text collate "C", session text collate "C") order by tenant, session),
u as (
  update agent_runs_run r set started_at = coalesce(r.started_at, clock_timestamp()), attempt = 1
  from x where r.tenant = x.tenant and r.session = x.session and r.attempt = 0 and r.ended_at is null
  returning r.*)
select u.*, true begun from u
union all
select r.*, false begun from x join agent_runs_run r on r.tenant = x.tenant and r.session = x.session
where not exists (select from u where u.tenant = r.tenant and u.session = r.session)`,
)

interface Attempt {
  readonly session: string
  readonly attempt: number
}

/** Begins an attempt that nobody has begun, unless the run has ended. */
export const BEGIN = statement(({ session, attempt }: Attempt) =>
  db
    .updateTable('agent_runs_run')
    .set((eb) => ({
      started_at: eb.fn.coalesce('started_at', NOW),
      attempt,
      retry_at: null,
    }))
    .where('session', '=', session)
    .where('attempt', '<', attempt)
    .where('ended_at', 'is', null)
    .returning('session'),
)

/** Puts the next attempt off. */
export const POSTPONE = statement(({ session, attempt, until }: Attempt & { until: Date }) =>
  db
    .updateTable('agent_runs_run')
    .set({ retry_at: until })
    .where('session', '=', session)
    .where('attempt', '=', attempt)
    .where('ended_at', 'is', null)
    .returning('session'),
)

/** How a run is said to have ended. */
export interface NewEnd {
  readonly tenant: string
  readonly session: string
  readonly status: EndedRunStatus
  readonly reason: string | null
}

/**
 * Ends runs that have not ended; the first who says how one ended is right. Other instances hear of
 * it with the commit. Where nothing has to be stopped, and nobody asked to be told, nobody is left
 * to be notified.
 *
 * @param ends JSON of a list of {@link NewEnd}
 */
export const END = statement(
  ({ ends }: { ends: string }) => sql<RunRow>`
with x as materialized (
  select * from jsonb_to_recordset(${ends}::jsonb) x(tenant text collate "C", session text collate "C", status text, reason text)
  order by tenant, session)
update agent_runs_run r set ended_at = clock_timestamp(), status = x.status,
  canceled_at = case when x.status = 'canceled' then clock_timestamp() end, cancel_reason = x.reason, retry_at = null,
  notified = r.webhook is null and x.status <> 'canceled'
from x where r.tenant = x.tenant and r.session = x.session and r.ended_at is null
returning r.*, pg_notify(${CHANNEL}, r.tenant || ' ' || r.session)::text told`,
)

export const PUBLISHED = statement(({ tenant, session }: { tenant: string; session: string }) =>
  db
    .updateTable('agent_runs_run')
    .set({ published: true })
    .where('tenant', '=', tenant)
    .where('session', '=', session),
)

export const NOTIFIED = statement(({ session }: { session: string }) =>
  db.updateTable('agent_runs_run').set({ notified: true }).where('session', '=', session),
)

interface Listing {
  /** `null`: of everybody. */
  readonly principal: string | null
  /** ISO 8601; `null`: from the newest. */
  readonly at: string | null
  /** Of that moment only sessions before this one. */
  readonly session: string
  /** `null`: also those that ended otherwise, and those that go on. */
  readonly ended: EndedRunStatus | null
  /** Only those that go on. */
  readonly isOpen: boolean
  readonly limit: number
}

/** Where a run stands among the others: two may be of the same moment. */
export interface Place {
  /** ISO 8601, in microseconds as the table has it. */
  readonly at: string
  /** Empty: before every run of this moment. */
  readonly session: string
}

const AT = sql<string>`to_char(created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`

/** The newest first. */
export const LIST = statement(({ principal, at, session, ended, isOpen, limit }: Listing) =>
  db
    .selectFrom('agent_runs_run')
    .selectAll()
    .select(AT.as('at'))
    .where(HAS_TIME)
    .where(sql<boolean>`principal = coalesce(${principal}::text, principal)`)
    .where(sql<boolean>`(${ended}::text is null or status = ${ended}::text)`)
    .where(sql<boolean>`(not ${isOpen}::boolean or ended_at is null)`)
    .where(
      sql<boolean>`(created_at, session) <
        (coalesce(${at}::timestamptz, 'infinity'), ${session}::text)`,
    )
    .orderBy('created_at', 'desc')
    .orderBy('session', 'desc')
    .limit(limit),
)

/**
 * Runs of all tenants for which a job is missing: the process died between the row and the job, or
 * the queue could not be reached.
 */
export const WITHOUT_JOB = statement(({ seconds, limit }: { seconds: number; limit: number }) =>
  db
    .selectFrom('agent_runs_run')
    .select(['tenant', 'session', 'principal', 'profile', 'published', 'status'])
    .where(sql<boolean>`not published or (ended_at is not null and not notified)`)
    .where(
      sql<boolean>`coalesce(ended_at, created_at) < clock_timestamp() - ${seconds}::int * interval '1 second'`,
    )
    .orderBy('created_at')
    .limit(limit),
)

/** A session that was removed takes its run with it. */
export const FORGET = statement(({ session }: { session: string }) =>
  db.deleteFrom('agent_runs_run').where('session', '=', session),
)
