import { NEEDED } from './session-row.ts'

/** Nobody is at it and nothing waits. */
const QUIET = 'owner is null and messages = 0 and controls = 0 and set_aside is null'

/**
 * The tenants, one step along the index each; then the oldest of each.
 * Lanes that somebody is at are left for the next time.
 */
const oldest = (which: string, limit: string): string => `
with recursive t(tenant) as (
  (select tenant from sessions_lane where status <> 'expired' order by tenant limit 1)
  union all
  select (select n.tenant from sessions_lane n where n.status <> 'expired' and n.tenant > t.tenant order by n.tenant limit 1)
  from t where t.tenant is not null),
old as materialized (
  select old.* from t cross join lateral (
    select r.tenant, r.session from sessions_lane r
    where r.tenant = t.tenant and r.status <> 'expired' and ${QUIET} and ${which}
    order by r.updated_at limit ${limit} for update skip locked) old
  limit ${limit})`

/** `$1`: ms without a message, `$2`: how many. */
export const TO_IDLE = `${oldest(`r.status = 'active' and r.updated_at < clock_timestamp() - $1::float8 * interval '1 ms'`, '$2::int')}
update sessions_lane r set status = 'idle', idle_at = clock_timestamp()
from old where r.tenant = old.tenant and r.session = old.session
returning r.tenant, r.session`

/**
 * `$1`: ms of being idle, `$2`: how many, `$3`: ms for those that wait for a person. Whoever shows
 * the entries of a session in a fork keeps it idle. The rows stay locked for {@link EXPIRE}.
 */
export const LOCK_IDLE = `${oldest(
  `r.status = 'idle' and not ${NEEDED}
      and r.idle_at < clock_timestamp() - case when r.parked then greatest($1::float8, $3::float8) else $1::float8 end * interval '1 ms'`,
  '$2::int',
)}
select tenant, session from old`

/**
 * `$1`: rows of {@link LOCK_IDLE} as JSON, `$2`: the state of a lane at rest. Asks again whether a
 * fork needs them: one may have been made before the lock came.
 */
export const EXPIRE = `
with gone as (
  update sessions_lane r set status = 'expired', state = $2, parked = false, due = null
  from jsonb_to_recordset($1::jsonb) x(tenant text collate "C", session text collate "C")
  where r.tenant = x.tenant and r.session = x.session and not ${NEEDED}
  returning r.tenant, r.session),
j as (delete from sessions_journal b using gone where b.tenant = gone.tenant and b.session = gone.session),
i as (delete from sessions_inbox b using gone where b.tenant = gone.tenant and b.session = gone.session)
select tenant, session from gone`

/** Items that were answered `$1` ms ago: their keys are forgotten. `$2`: how many at once. */
export const FORGET_KEYS = `
with recursive t(tenant) as (
  (select tenant from sessions_inbox where taken order by tenant limit 1)
  union all
  select (select n.tenant from sessions_inbox n where n.taken and n.tenant > t.tenant order by n.tenant limit 1) from t where t.tenant is not null),
old as materialized (
  select old.* from t cross join lateral (
    select r.tenant, r.session, r.key from sessions_inbox r
    where r.tenant = t.tenant and r.taken and r.at < clock_timestamp() - $1::float8 * interval '1 ms'
    order by r.at limit $2::int for update skip locked) old
  limit $2::int)
delete from sessions_inbox r using old
where r.tenant = old.tenant and r.session = old.session and r.key = old.key`
