import type {
  JsonObject,
  Row,
  Statement,
  StoreDefinition,
  StoreWrite,
  StoreWriteOutcome,
} from '@amodal/sdk'
import { ttlOf } from '@amodal/sdk/stores'

/** Statements of one transaction, as one tenant. */
export type Run = (statement: Statement) => Promise<readonly Row[]>

/** A document as it will stand. */
interface Next {
  readonly key: string
  readonly version: number
  readonly payload: JsonObject
  readonly trace: JsonObject | null
  readonly ttl: number | null
}

/**
 * What becomes of a list of writes: outcomes in its order, the documents as they end up, and those
 * in between.
 */
interface Planned {
  readonly outcomes: readonly StoreWriteOutcome[]
  readonly last: readonly Next[]
  readonly between: readonly Next[]
}

/**
 * Writes documents, however many, in a handful of statements. The keys are locked first and in
 * order, so that writers of the same documents come one after the other, none is lost, and two
 * batches that overlap do not wait for each other.
 */
export async function writeAll(
  run: Run,
  store: StoreDefinition,
  writes: readonly StoreWrite[],
  mayWrite: (outcomes: readonly StoreWriteOutcome[]) => boolean,
): Promise<readonly StoreWriteOutcome[]> {
  const keys = [...new Set(writes.map(({ key }) => key))].sort()
  await lockKeys(run, store, keys)
  const rows = await run({
    sql: 'select key, version from stores_database_document where store = $1 and key = any($2::text[])',
    parameters: [store.name, keys],
  })
  const { outcomes, last, between } = plan(
    store,
    writes,
    new Map(rows.map((row) => [String(row['key']), Number(row['version'])])),
  )
  if (!mayWrite(outcomes)) return outcomes
  await keepHistory(run, store, last, between)
  await run(upsert(store, last))
  return outcomes
}

/** Documents and the values that they are found by, in one round trip. */
function upsert(store: StoreDefinition, last: readonly Next[]): Statement {
  const documents = JSON.stringify(last)
  const clear: Statement = {
    sql: 'delete from stores_database_value where store = $1 and key = any($2::text[])',
    parameters: [store.name, last.map(({ key }) => key)],
  }
  const put: Statement = {
    sql: `insert into stores_database_document as d(store, key, version, payload, computed_at, expires_at, trace)
      select $1, x.key, x.version, x.payload, clock_timestamp(), clock_timestamp() + x.ttl * interval '1 s', nullif(x.trace, 'null')
      from jsonb_to_recordset($2::jsonb) x(key text, version bigint, payload jsonb, ttl float8, trace jsonb)
      on conflict (tenant, store, key) do update set version = excluded.version, payload = excluded.payload, computed_at = excluded.computed_at, expires_at = excluded.expires_at, trace = excluded.trace`,
    parameters: [store.name, documents],
  }
  return {
    before: [put, clear],
    sql: `insert into stores_database_value(store, key, field, text, number, flag, moment)
      select $1, x.key, v.* from jsonb_to_recordset($2::jsonb) x(key text, payload jsonb) cross join lateral stores_database_values(x.payload) v`,
    parameters: [store.name, documents],
  }
}

/** The lock of a document, as SQL. */
export const lockOf = (tenant: string, store: string, key: string): string =>
  `hashtextextended(${tenant} || '/' || ${store} || '/' || ${key}, 0)`

/** Held until the end of the transaction. Two keys may share a lock, which only costs time. */
export async function lockKeys(
  run: Run,
  store: StoreDefinition,
  keys: readonly string[],
): Promise<void> {
  await run({
    sql: `select count(pg_advisory_xact_lock(hash)) from (
      select distinct ${lockOf("current_setting('amodal.tenant')", '$1', 'key')} as hash from unnest($2::text[]) key order by hash) locks`,
    parameters: [store.name, keys],
  })
}

function plan(
  store: StoreDefinition,
  writes: readonly StoreWrite[],
  versions: ReadonlyMap<string, number>,
): Planned {
  const last = new Map<string, Next>()
  const between: Next[] = []
  const outcomes = writes.map(({ key, payload, ifVersion, trace = null }): StoreWriteOutcome => {
    const before = last.get(key)
    const current = before?.version ?? versions.get(key) ?? 0
    if (ifVersion !== undefined && ifVersion !== current)
      return {
        key,
        stored: false,
        error: `the document stands at version ${current}, not ${ifVersion}`,
      }
    if (before) between.push(before)
    last.set(key, { key, version: current + 1, payload, trace, ttl: ttlOf(store, payload) ?? null })
    return {
      key,
      stored: true,
      version: current + 1,
      ...(current > 0 && { previousVersion: current }),
    }
  })
  return { outcomes, last: [...last.values()], between }
}

async function keepHistory(
  run: Run,
  store: StoreDefinition,
  last: readonly Next[],
  between: readonly Next[],
): Promise<void> {
  const keep = store.history?.versions ?? 0
  const replaced = last.filter(({ version }) => version > 1)
  if (keep === 0 || replaced.length === 0) return
  await run({
    sql: `insert into stores_database_version(store, key, version, payload, computed_at, trace)
      select store, key, version, payload, computed_at, trace from stores_database_document where store = $1 and key = any($2::text[])
      union all select $1, x.key, x.version, x.payload, clock_timestamp(), nullif(x.trace, 'null') from jsonb_to_recordset($3::jsonb) x(key text, version bigint, payload jsonb, trace jsonb)`,
    parameters: [store.name, replaced.map(({ key }) => key), JSON.stringify(between)],
  })
  await run({
    sql: `delete from stores_database_version v using jsonb_to_recordset($2::jsonb) x(key text, version bigint)
      where v.store = $1 and v.key = x.key and v.version < x.version - $3::int`,
    parameters: [
      store.name,
      JSON.stringify(replaced.map(({ key, version }) => ({ key, version }))),
      keep,
    ],
  })
}
