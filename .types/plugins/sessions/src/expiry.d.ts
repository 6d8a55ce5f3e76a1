/** `$1`: ms without a message, `$2`: how many. */
export declare const TO_IDLE: string;
/**
 * `$1`: ms of being idle, `$2`: how many, `$3`: ms for those that wait for a person. Whoever shows the entries of a
 * session in a fork keeps it idle. The rows stay locked for {@link EXPIRE}.
 */
export declare const LOCK_IDLE: string;
/** `$1`: rows of {@link LOCK_IDLE} as JSON, `$2`: the state of a lane at rest. Asks again whether a fork needs them: one may have been made before the lock came. */
export declare const EXPIRE = "\nwith gone as (\n  update sessions_lane r set status = 'expired', state = $2, parked = false, due = null\n  from jsonb_to_recordset($1::jsonb) x(tenant text collate \"C\", session text collate \"C\")\n  where r.tenant = x.tenant and r.session = x.session and not exists (\n  select from sessions_lane f where f.tenant = r.tenant and f.parent = r.session and f.fork_at > 0 and f.status <> 'expired')\n  returning r.tenant, r.session),\nj as (delete from sessions_journal b using gone where b.tenant = gone.tenant and b.session = gone.session),\ni as (delete from sessions_inbox b using gone where b.tenant = gone.tenant and b.session = gone.session)\nselect tenant, session from gone";
/** Items that were answered `$1` ms ago: their keys are forgotten. `$2`: how many at once. */
export declare const FORGET_KEYS = "\nwith recursive t(tenant) as (\n  (select tenant from sessions_inbox where taken order by tenant limit 1)\n  union all\n  select (select n.tenant from sessions_inbox n where n.taken and n.tenant > t.tenant order by n.tenant limit 1) from t where t.tenant is not null),\nold as materialized (\n  select old.* from t cross join lateral (\n    select r.tenant, r.session, r.key from sessions_inbox r\n    where r.tenant = t.tenant and r.taken and r.at < clock_timestamp() - $1::float8 * interval '1 ms'\n    order by r.at limit $2::int for update skip locked) old\n  limit $2::int)\ndelete from sessions_inbox r using old\nwhere r.tenant = old.tenant and r.session = old.session and r.key = old.key";
