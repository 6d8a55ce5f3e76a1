import { sql, statement, type RawBuilder, type TypedStatement } from '@amodal/sdk/database'
import type { SessionRelations } from '@amodal/plugin-sessions/tokens'
import type { Alert } from './budgets/alert.ts'
import {
  BUCKETS,
  MOST_GROUPS,
  type Group,
  type RunPosition,
  type UsageFilter,
  type UsageQuery,
} from './report.ts'
import { db } from './tables.ts'

/** @param runs JSON of rows, whose `models` and `tools` are JSON too */
export const ADD = statement(
  ({ runs }: { runs: string }) => sql<never>`
insert into usage_run (
  tenant, run, session, principal, agent, automation, profile, started_at, ended_at, ms,
  waited_ms, model_ms, reason, error, calls, call_errors, input_tokens, output_tokens, cache_read,
  cache_write, cost, unpriced, models, tools, seq)
select tenant, run, session, principal, agent, automation, profile, started_at, ended_at, ms,
  waited_ms, model_ms, reason, error, calls, call_errors, input_tokens, output_tokens, cache_read,
  cache_write, cost, unpriced, models, tools, seq
from jsonb_to_recordset(${runs}::jsonb) x(
  tenant text, run text, session text, principal text, agent text, automation text, profile text,
  started_at bigint, ended_at bigint, ms bigint, waited_ms bigint, model_ms bigint, reason text,
  error text, calls int, call_errors int, input_tokens bigint, output_tokens bigint,
  cache_read bigint, cache_write bigint, cost bigint, unpriced int, models jsonb, tools jsonb,
  seq bigint)
on conflict (tenant, session, seq) do nothing`,
)

export const LATEST = statement(
  ({ tenant, sessions }: { tenant: string; sessions: readonly string[] }) =>
    sql<{ session: string; seq: number }>`
select session, max(seq)::bigint as seq from usage_run
where tenant = ${tenant} and session = any(${sessions}::text[]) group by session`,
)

export const PRUNE = statement(
  ({ before }: { before: number }) =>
    sql<{ run: string }>`delete from usage_run where ended_at < ${before}::bigint returning run`,
)

export const ADD_TENANT = statement(
  ({ tenant, now }: { tenant: string; now: number }) => sql<never>`
insert into usage_tenant (tenant, since, compared) values (${tenant}, ${now}::bigint, ${now}::bigint)
on conflict (tenant) do nothing`,
)

export const TENANTS = statement(() =>
  db.selectFrom('usage_tenant').select(['tenant', 'since', 'compared']).orderBy('tenant'),
)

/** Of these tenants. */
export const COMPARED = statement(
  ({ tenants, at }: { tenants: readonly string[]; at: number }) => sql<never>`
update usage_tenant set compared = greatest(compared, ${at}::bigint) where tenant = any(${tenants}::text[])`,
)

export interface UncountedRow {
  readonly tenant: string
  readonly session: string
  readonly head: number
  /** Number of the entry that ended its newest run with a row; 0 without one. */
  readonly latest: number
}

/**
 * Sessions in which a run has ended behind their newest row, of those that changed since the
 * journal of their tenant was compared. An entry that does not say what it is may be such an end.
 */
export const uncountedOf = (
  relations: SessionRelations,
): ((values: { readonly lookBack: number }) => TypedStatement<UncountedRow>) =>
  statement(({ lookBack }: { readonly lookBack: number }) => {
    const since = sql<number>`(c.compared - ${lookBack}::bigint)`
    const behind = { lane: sql<number>`s.lane`, seq: sql<number>`greatest(u.latest, s.forked_at)` }
    return sql<UncountedRow>`
select c.tenant, s.session, s.head, u.latest from usage_tenant c
cross join lateral (${relations.changed({ tenant: sql`c.tenant`, since })}) s
cross join lateral (
  select coalesce(max(r.seq), 0)::bigint as latest from usage_run r
  where r.tenant = c.tenant and r.session = s.session) u
where s.head > greatest(u.latest, s.forked_at) and exists (
  select from (${relations.entriesBehind(behind)}) e where coalesce(e.kind, 'run_ended') = 'run_ended')
order by c.tenant, s.session`
  })

interface Erase {
  readonly principal: string
  /** `null`: of all tenants. */
  readonly tenant: string | null
  /** JSON of the sessions that are erased. */
  readonly sessions: string
}
export const ERASE = statement(
  ({ principal, tenant, sessions }: Erase) => sql<{ run: string }>`
delete from usage_run u
where (u.principal = ${principal} and u.tenant = coalesce(${tenant}::text, u.tenant))
  or exists (select from jsonb_to_recordset(${sessions}::jsonb) x(tenant text, session text)
    where x.tenant = u.tenant and x.session = u.session)
returning u.run`,
)

export const ERASE_TENANT = statement(
  ({ tenant }: { readonly tenant: string }) => sql<{ tenant: string }>`
delete from usage_tenant t
where t.tenant = ${tenant} and not exists (select from usage_run u where u.tenant = t.tenant)
returning t.tenant`,
)

export const ADD_ALERT = statement(
  ({ budget, period, percent, at, spent }: Alert) => sql<never>`
insert into usage_alert (budget, period, percent, at, spent)
values (${budget}, ${period}, ${percent}::float8, ${at}::bigint, ${spent}::bigint)
on conflict (tenant, budget, period, percent) do nothing`,
)

/** Of these periods. */
export const ALERTS = statement(({ periods }: { readonly periods: readonly string[] }) =>
  db
    .selectFrom('usage_alert')
    .select(['budget', 'period', 'percent', 'at', 'spent'])
    .where(sql<boolean>`period = any(${periods}::text[])`)
    .orderBy('at'),
)

type Condition = RawBuilder<boolean>

function conditionsOf(tenant: string | undefined, filter: UsageFilter): Condition {
  const { from, to, model, tool } = filter
  const named = (['agent', 'principal', 'automation', 'profile'] as const).flatMap((name) =>
    filter[name] === undefined ? [] : [sql<boolean>`${sql.ref(name)} = ${filter[name]}`],
  )
  const has = (column: 'models' | 'tools', name: string): Condition =>
    sql<boolean>`${sql.ref(column)} @> ${JSON.stringify([{ name }])}::jsonb`
  return sql.join(
    [
      sql<boolean>`ended_at >= ${from}::bigint and ended_at < ${to}::bigint`,
      ...(tenant === undefined ? [] : [sql<boolean>`tenant = ${tenant}`]),
      ...named,
      ...(model === undefined ? [] : [has('models', model)]),
      ...(tool === undefined ? [] : [has('tools', tool)]),
    ],
    sql` and `,
  )
}

export const page = (
  tenant: string,
  filter: UsageFilter,
  { limit, after }: { readonly limit: number; readonly after?: RunPosition },
) =>
  db
    .selectFrom('usage_run')
    .selectAll()
    .where(conditionsOf(tenant, filter))
    .where(
      after
        ? sql<boolean>`(ended_at, run) > (${after.endedAt}::bigint, ${after.run}::text)`
        : sql<boolean>`true`,
    )
    .orderBy('ended_at')
    .orderBy('run')
    .limit(limit)

/** `total`: every run under one empty key. */
export type Keys = Group | 'total'

/** One row for what a run adds to a key. */
function parts(keys: Keys): RawBuilder<unknown> {
  const calls = sql`name text, calls bigint, errors bigint, input bigint, output bigint,
    "cacheRead" bigint, "cacheWrite" bigint, cost bigint, unpriced bigint, times jsonb`
  if (keys === 'model' || keys === 'tool') {
    const column = sql.ref(keys === 'model' ? 'models' : 'tools')
    // What is zero is not stored.
    const sum = (name: string): RawBuilder<number> => sql`coalesce(${sql.ref(`p.${name}`)}, 0)`
    return sql`select p.name as key, b.bucket, b.ms, b.error, ${sum('calls')} as calls,
  ${sum('errors')} as call_errors, ${sum('input')} as input, ${sum('output')} as output,
  ${sum('cacheRead')} as cache_read, ${sum('cacheWrite')} as cache_write, p.cost,
  ${sum('unpriced')} as unpriced, coalesce(p.times, '[]') as times
from base b cross join lateral jsonb_to_recordset(b.${column}) p(${calls})`
  }
  const key = keys === 'total' ? sql`''` : sql`coalesce(${sql.ref(keys)}, '')`
  return sql`select ${key} as key, bucket, ms, error, calls, call_errors, input_tokens as input,
  output_tokens as output, cache_read, cache_write, cost, unpriced,
  jsonb_path_query_array(models, '$[*].times[*]') as times from base`
}

/** The runs of a report, what they add, and the keys that are listed. */
function tablesOf(tenant: string | undefined, query: UsageQuery, keys: Keys) {
  const width = sql.lit(BUCKETS[query.by])
  return sql`with base as (
  select *, (ended_at / ${width}::bigint) * ${width}::bigint as bucket from usage_run
  where ${conditionsOf(tenant, query)}),
parts as (${parts(keys)}),
listed as (select key from parts group by key
  order by coalesce(sum(cost), -1) desc, sum(input + output) desc, sum(calls) desc, count(*) desc,
    key collate "C"
  limit ${sql.lit(MOST_GROUPS)})`
}

const WHERE = sql`where key in (select key from listed)
group by grouping sets ((key), (key, bucket))`
const AT = sql`case when grouping(bucket) = 1 then null else bucket end as at`
const P50 = sql`percentile_disc(0.5) within group`
const P95 = sql`percentile_disc(0.95) within group`

export interface SumsRow {
  readonly key: string
  readonly at: number | null
  readonly runs: number
  readonly errors: number
  readonly calls: number
  readonly call_errors: number
  readonly input: number
  readonly output: number
  readonly cache_read: number
  readonly cache_write: number
  readonly cost: number | null
  readonly unpriced: number
  readonly p50: number | null
  readonly p95: number | null
}

export const sums = (tenant: string | undefined, query: UsageQuery, keys: Keys) =>
  sql<SumsRow>`${tablesOf(tenant, query, keys)}
select key, ${AT}, count(*)::bigint as runs, count(error)::bigint as errors,
  sum(calls)::bigint as calls, sum(call_errors)::bigint as call_errors,
  sum(input)::bigint as input, sum(output)::bigint as output,
  sum(cache_read)::bigint as cache_read, sum(cache_write)::bigint as cache_write,
  sum(cost)::bigint as cost, sum(unpriced)::bigint as unpriced,
  ${P50} (order by ms)::bigint as p50, ${P95} (order by ms)::bigint as p95
from parts ${WHERE}`

export type TimesRow = Pick<SumsRow, 'key' | 'at' | 'p50' | 'p95'>

export const times = (tenant: string | undefined, query: UsageQuery, keys: Keys) =>
  sql<TimesRow>`${tablesOf(tenant, query, keys)}
select key, ${AT}, ${P50} (order by t::bigint)::bigint as p50,
  ${P95} (order by t::bigint)::bigint as p95
from parts cross join lateral jsonb_array_elements_text(times) t ${WHERE}`
