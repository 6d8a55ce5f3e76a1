import {
  err,
  ok,
  tenantId,
  type Database,
  type Failure,
  type Result,
  type TenantId,
  timeLimit,
} from '@amodal/sdk'
import { lockOf } from './write.ts'

/** Documents of one round: few enough to be in nobody's way. */
export const PURGE_ROWS = 500
/** ms for one round. */
const ROUND_MS = 30_000

/** Documents of one store that a purge removed. */
export interface Purged {
  readonly tenant: TenantId
  readonly store: string
  readonly count: number
}

const DUE = `expires_at < clock_timestamp() - $1::float8 * interval '1 ms'`

/**
 * The oldest of each tenant, the tenants found by one step along the index each. A document that
 * somebody writes now is left out: its lock is theirs, and what they write is fresh again.
 */
const TAKE = `
with recursive t(tenant) as (
  (select tenant from stores_database_document where expires_at is not null order by tenant limit 1)
  union all
  select (select n.tenant from stores_database_document n where n.expires_at is not null and n.tenant > t.tenant order by n.tenant limit 1)
  from t where t.tenant is not null),
due as materialized (
  select old.* from t cross join lateral (
    select d.tenant, d.store, d.key from stores_database_document d where d.tenant = t.tenant and d.${DUE} order by d.expires_at limit $2::int) old
  limit $2::int)
select tenant, store, key from due where pg_try_advisory_xact_lock(${lockOf('tenant', 'store', 'key')})`

/** Asks again whether they are due: they may have been written before the lock came. */
const REMOVE = `
with mine as materialized (select * from jsonb_to_recordset($2::jsonb) x(tenant text, store text, key text)),
gone as (
  delete from stores_database_document d using mine m where d.tenant = m.tenant and d.store = m.store and d.key = m.key and d.${DUE}
  returning d.tenant, d.store, d.key),
v as (delete from stores_database_version x using gone g where x.tenant = g.tenant and x.store = g.store and x.key = g.key),
f as (delete from stores_database_value x using gone g where x.tenant = g.tenant and x.store = g.store and x.key = g.key)
select tenant, store, count(*)::int as count from gone group by tenant, store`

/**
 * Removes documents that have been stale for `keepMs` milliseconds, with their earlier versions:
 * one round, in one transaction. Several instances may do it at once.
 *
 * @returns how many went by tenant and store, and whether there may be more
 */
export async function purge(
  database: Database,
  keepMs: number,
  signal: AbortSignal,
): Promise<Result<{ readonly gone: readonly Purged[]; readonly more: boolean }, Failure>> {
  const done = await database.transaction(
    async (run) => {
      const taken = await run({ sql: TAKE, parameters: [keepMs, PURGE_ROWS] })
      const rows =
        taken.length === 0
          ? []
          : await run({ sql: REMOVE, parameters: [keepMs, JSON.stringify(taken)] })
      return {
        gone: rows.map((row) => ({
          tenant: tenantId(String(row['tenant'])),
          store: String(row['store']),
          count: Number(row['count']),
        })),
        more: taken.length === PURGE_ROWS,
      }
    },
    timeLimit(ROUND_MS, 'removing what has expired', signal),
  )
  return done.ok ? ok(done.value) : err(done.error)
}
