import { ok, type Eraser, type Json } from '@amodal/sdk'
import { runIn, sql, statement } from '@amodal/sdk/database'
import { db } from './tables.ts'

interface WrittenRow {
  /** Documents and versions, whole keys of each. */
  readonly found: Json
  /** Documents that may be theirs or somebody else's. */
  readonly unknown: number
  /** Whole keys of the calls that wrote. */
  readonly calls: Json
}

/**
 * Writes that were made in runs of a person: the key of a write begins with its run (behind the
 * tenant, in a store that tenants share), and its outcome says which documents came of it. Which
 * store that was is known by the time. By hand, since it is told best in one piece.
 *
 * @param sessions with their runs, as JSON
 */
const WRITTEN = statement(
  ({ sessions }: { sessions: string }) => sql<WrittenRow>`
with gone as materialized (
  select g.tenant, g.session, r.run from jsonb_to_recordset(${sessions}::jsonb) g(tenant text, session text, runs text[]) cross join lateral unnest(g.runs) r(run)),
calls as materialized (
  select c.tenant, c.call_key, c.at, c.outcome from stores_database_call c join gone
    on starts_with(c.call_key, gone.run || ':') and c.tenant = gone.tenant or starts_with(c.call_key, gone.tenant || ':' || gone.run || ':')),
written as (
  select calls.tenant, calls.call_key, calls.at, o.value ->> 'key' as key, (o.value ->> 'version')::bigint as version
  from calls cross join lateral jsonb_array_elements(case jsonb_typeof(outcome) when 'array' then outcome else '[]' end) o where jsonb_typeof(o.value) = 'object'),
kept as (
  select tenant, store, key, version, computed_at, trace from stores_database_document
  union all select tenant, store, key, version, computed_at, trace from stores_database_version),
found as (
  select k.tenant, k.store, k.key, k.version, count(*) over (partition by w.call_key, w.key, w.version) as choices
  from written w join kept k on k.tenant = w.tenant and k.key = w.key and k.version = w.version and k.computed_at >= w.at and k.computed_at < w.at + interval '1 minute'
  union
  select k.tenant, k.store, k.key, k.version, 1 from kept k join gone on k.trace ->> 'session' = gone.session)
select coalesce((select jsonb_agg(distinct jsonb_build_object('tenant', tenant, 'store', store, 'key', key, 'version', version)) from found where choices = 1), '[]') as found,
  (select count(distinct (tenant, store, key, version)) from found f where choices > 1)::int as unknown,
  coalesce((select jsonb_agg(jsonb_build_object('tenant', tenant, 'call_key', call_key)) from calls), '[]') as calls`,
)

interface Found {
  readonly tenant: string
  readonly store: string
  readonly key: string
  readonly version: number
}

/** Versions of documents, given as JSON. */
const rowsOf = (found: string) =>
  sql<Found>`jsonb_to_recordset(${found}::jsonb)`.as<'x'>(
    sql`x(tenant text, store text, key text, version bigint)`,
  )

const ERASE_VERSIONS = statement(({ found }: { found: string }) =>
  db
    .deleteFrom('stores_database_version as d')
    .using(rowsOf(found))
    .whereRef('d.tenant', '=', 'x.tenant')
    .whereRef('d.store', '=', 'x.store')
    .whereRef('d.key', '=', 'x.key')
    .whereRef('d.version', '=', 'x.version')
    .returning('d.key'),
)

const ERASE_DOCUMENTS = statement(({ found }: { found: string }) =>
  db
    .deleteFrom('stores_database_document as d')
    .using(rowsOf(found))
    .whereRef('d.tenant', '=', 'x.tenant')
    .whereRef('d.store', '=', 'x.store')
    .whereRef('d.key', '=', 'x.key')
    .whereRef('d.version', '=', 'x.version')
    .returning(['d.tenant', 'd.store', 'd.key']),
)

const ERASE_VALUES = statement(({ gone }: { gone: string }) =>
  db
    .deleteFrom('stores_database_value as d')
    .using(rowsOf(gone))
    .whereRef('d.tenant', '=', 'x.tenant')
    .whereRef('d.store', '=', 'x.store')
    .whereRef('d.key', '=', 'x.key'),
)

const ERASE_CALLS = statement(({ calls }: { calls: string }) =>
  db
    .deleteFrom('stores_database_call as d')
    .using(
      sql<{ tenant: string; call_key: string }>`jsonb_to_recordset(${calls}::jsonb)`.as<'x'>(
        sql`x(tenant text, call_key text)`,
      ),
    )
    .whereRef('d.tenant', '=', 'x.tenant')
    .whereRef('d.call_key', '=', 'x.call_key'),
)

/** Documents as a person's sessions have left them, and earlier versions that they wrote. */
export const eraser: Eraser = {
  async erase({ sessions }, run) {
    const [row] = await runIn(run, WRITTEN({ sessions: JSON.stringify(sessions) }))
    const found = JSON.stringify(row?.found ?? [])
    const versions = await runIn(run, ERASE_VERSIONS({ found }))
    const documents = await runIn(run, ERASE_DOCUMENTS({ found }))
    await runIn(run, ERASE_VALUES({ gone: JSON.stringify(documents) }))
    await runIn(run, ERASE_CALLS({ calls: JSON.stringify(row?.calls ?? []) }))
    return ok({
      removed: documents.length + versions.length,
      unknown: row?.unknown ?? 0,
      tables: [
        'stores_database_document',
        'stores_database_version',
        'stores_database_value',
        'stores_database_call',
      ],
    })
  },
}
