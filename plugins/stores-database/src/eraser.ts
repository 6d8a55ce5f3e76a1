import { ok, type Eraser } from '@amodal/sdk'

/**
 * Writes that were made in runs of a person: the key of a write begins with its run (behind the
 * tenant, in a store that tenants share), and its outcome says which documents came of it. Which
 * store that was is known by the time.
 */
const WRITTEN = `
with gone as materialized (
  select g.tenant, g.session, r.run from jsonb_to_recordset($1::jsonb) g(tenant text, session text, runs text[]) cross join lateral unnest(g.runs) r(run)),
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
  coalesce((select jsonb_agg(jsonb_build_object('tenant', tenant, 'call_key', call_key)) from calls), '[]') as calls`

const ROWS = 'jsonb_to_recordset($1::jsonb) x(tenant text, store text, key text, version bigint)'
const SAME = 'd.tenant = x.tenant and d.store = x.store and d.key = x.key'

/** Documents as a person's sessions have left them, and earlier versions that they wrote. */
export const eraser: Eraser = {
  async erase({ sessions }, run) {
    const [row] = await run({ sql: WRITTEN, parameters: [JSON.stringify(sessions)] })
    const found = JSON.stringify(row?.['found'] ?? [])
    const versions = await run({
      sql: `delete from stores_database_version d using ${ROWS} where ${SAME} and d.version = x.version returning 1 as one`,
      parameters: [found],
    })
    const documents = await run({
      sql: `delete from stores_database_document d using ${ROWS} where ${SAME} and d.version = x.version returning d.tenant, d.store, d.key`,
      parameters: [found],
    })
    const gone = JSON.stringify(documents)
    await run({
      sql: `delete from stores_database_value d using ${ROWS} where ${SAME}`,
      parameters: [gone],
    })
    await run({
      sql: 'delete from stores_database_call d using jsonb_to_recordset($1::jsonb) x(tenant text, call_key text) where d.tenant = x.tenant and d.call_key = x.call_key',
      parameters: [JSON.stringify(row?.['calls'] ?? [])],
    })
    return ok({
      removed: documents.length + versions.length,
      unknown: Number(row?.['unknown'] ?? 0),
      tables: [
        'stores_database_document',
        'stores_database_version',
        'stores_database_value',
        'stores_database_call',
      ],
    })
  },
}
