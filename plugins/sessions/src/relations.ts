import { sql, type RawBuilder } from '@amodal/sdk/database'
import { ENTRIES_OF_ROW } from './journal-rows.ts'
import type { SessionRelations } from './tokens.ts'

/**
 * The beginning of an entry, without what may be long, in pieces between quotation marks: `{`, `v`,
 * its version, `run`, `:`, the run, `,`, `at`, the time, `kind`, `:`, the kind, `,`, and the next
 * field. Read as JSON, an entry would be parsed as a whole, and one that the database cannot read
 * would fail the statement.
 */
const PIECES = sql`string_to_array(left(e.body, 200), '"')`

/** Whether these pieces are where an entry of this release has them. */
const IS_KNOWN = sql<boolean>`p.a[4] = 'run' and p.a[8] = 'at' and p.a[10] = 'kind' and strpos(p.a[6], chr(92)) = 0`

const piece = (n: number) => sql`split_part(left(r.body, 100), '"', ${sql.lit(n)})`

/** ms since the epoch of the first entry of the row `r`; null where its text does not say so. */
const AT_OF_ROW = sql<number>`
  case when ${piece(8)} = 'at' and translate(${piece(9)}, '0123456789', '') = ':,' and length(${piece(9)}) between 3 and 17
    then btrim(${piece(9)}, ':,')::bigint end`

const TENANTS = sql`
with recursive t(tenant) as (
  (select tenant from sessions_lane order by tenant limit 1)
  union all
  select (select n.tenant from sessions_lane n where n.tenant > t.tenant order by n.tenant limit 1)
  from t where t.tenant is not null)
select tenant from t where tenant is not null`

const time = (ms: RawBuilder<number>): RawBuilder<Date> =>
  sql`(timestamptz 'epoch' + ${ms} * interval '1 millisecond')`

// As text of the statement: a partial index fits no parameter.
const STATUSES = [sql<boolean>`r.status = 'active'`, sql<boolean>`r.status = 'idle'`]

const ofAllStatuses = (select: (status: RawBuilder<boolean>) => RawBuilder<unknown>) =>
  sql.join(STATUSES.map(select), sql` union all `)

const fieldsOf = (entries: RawBuilder<unknown>) => sql`
select e.seq, case when ${IS_KNOWN} then p.a[6] end as run, case when ${IS_KNOWN} then p.a[12] end as kind,
  case when p.a[14] in ('call', 'ask') and p.a[15] = ':' and strpos(p.a[16], chr(92)) = 0 and cardinality(p.a) > 16 then p.a[16] end as id, e.body
from (${entries}) e cross join lateral (select ${PIECES} a offset 0) p`

const ROW = sql`select r.seq, r.body, r.sealed from sessions_journal r`

/** The relations over the tables of this plugin. */
export const RELATIONS: SessionRelations = {
  tenants: TENANTS,
  lastChange: sql`
select (extract(epoch from max(b.bucket)) * 1000)::bigint as at from (${TENANTS}) t cross join lateral (${ofAllStatuses(
    (status) =>
      sql`(select r.bucket from sessions_lane r where r.tenant = t.tenant and ${status} order by r.bucket desc limit 1)`,
  )}) b`,
  changed: ({ tenant, since }) =>
    ofAllStatuses(
      (status) => sql`
select r.session, r.lane, r.head, r.fork_at as forked_at from sessions_lane r
where r.tenant = ${tenant} and ${status} and r.bucket >= ${time(since)} - interval '5 minutes' and r.updated_at >= ${time(since)}`,
    ),
  newestEntries: ({ lane, since }) =>
    fieldsOf(sql`
with recursive w(seq, body, sealed, at) as (
  (select r.seq, r.body, r.sealed, ${AT_OF_ROW} from sessions_journal r where r.lane = ${lane} order by r.seq desc limit 1)
  union all
  select p.seq, p.body, p.sealed, p.at from w cross join lateral (
    select r.seq, r.body, r.sealed, ${AT_OF_ROW} at from sessions_journal r
    where r.lane = ${lane} and r.seq < w.seq order by r.seq desc limit 1) p
  where coalesce(w.at >= ${since}, true))
select e.seq, e.body from w r cross join lateral (${ENTRIES_OF_ROW}) e`),
  entriesBehind: ({ lane, seq }) =>
    fieldsOf(sql`
select e.seq, e.body from (${ROW} where r.lane = ${lane} and r.seq > ${seq}) r
cross join lateral (${ENTRIES_OF_ROW}) e where e.seq > ${seq}`),
}
