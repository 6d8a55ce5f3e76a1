import {
  ok, type Failure, type JsonObject, type Result, type Row, type Statement, type StoreBackend, type StoreDefinition, type StoreDocument,
  type StoreQuery, type StoreWrite, type StoreWriteOutcome, type TenantDatabase,
} from '@amodal/sdk'
import { clauses, Parameters } from './conditions.ts'

type Run = (statement: Statement) => Promise<readonly Row[]>

const DOCUMENT = `key, store, version, payload, computed_at, expires_at, (expires_at is not null and expires_at <= now()) as stale`

/** Documents of one tenant: the connection itself lets no other row through. */
export class DatabaseStores implements StoreBackend {
  readonly #database: TenantDatabase

  constructor(database: TenantDatabase) { this.#database = database }

  async get(store: StoreDefinition, key: string, signal: AbortSignal): Promise<Result<StoreDocument | undefined, Failure>> {
    const rows = await this.#database.run({ sql: `select ${DOCUMENT} from stores_database_document where store = $1 and key = $2`, parameters: [store.name, key] }, signal)
    return rows.ok ? ok(rows.value.map((row) => documentOf(store, row))[0]) : rows
  }

  async query(store: StoreDefinition, query: StoreQuery, signal: AbortSignal): Promise<Result<{ readonly documents: readonly StoreDocument[]; readonly total: number }, Failure>> {
    const parameters = new Parameters()
    const { where, order } = clauses(store, query, parameters)
    const sql = `with found as materialized (select * from stores_database_document where ${where}), page as (select ${DOCUMENT} from found order by ${order} limit ${parameters.add(query.limit)}::int offset ${parameters.add(query.offset)}::int)
      select (select count(*) from found)::int as total, page.* from (select 1) one left join page on true`
    const rows = await this.#database.run({ sql, parameters: parameters.values }, signal)
    if (!rows.ok) return rows
    return ok({ documents: rows.value.filter((row) => row['key'] !== null).map((row) => documentOf(store, row)), total: Number(rows.value[0]?.['total'] ?? 0) })
  }

  write(store: StoreDefinition, writes: readonly StoreWrite[], { atomic, callKey }: { readonly atomic: boolean; readonly callKey?: string }, signal: AbortSignal): Promise<Result<readonly StoreWriteOutcome[], Failure>> {
    return this.#database.transaction(async (run) => {
      const before = callKey === undefined ? undefined : await claim(run, callKey)
      if (before !== undefined) return before as unknown as readonly StoreWriteOutcome[] // kept by this very method
      const outcomes: StoreWriteOutcome[] = []
      // In the order of their keys, so that two batches that overlap wait for each other and never deadlock.
      for (const write of [...writes].sort((a, b) => (a.key < b.key ? -1 : 1))) outcomes.push(await writeOne(run, store, write))
      const ordered = writes.flatMap(({ key }) => outcomes.find((one) => one.key === key) ?? [])
      if (atomic && outcomes.some(({ stored }) => !stored)) throw new Refused(ordered)
      if (callKey !== undefined) await run({ sql: `update stores_database_call set outcome = $2::jsonb where call_key = $1`, parameters: [callKey, JSON.stringify(ordered)] })
      return ordered
    }, signal).then((result) => (!result.ok && result.error.cause instanceof Refused ? ok(result.error.cause.outcomes) : result))
  }

  async remove(store: StoreDefinition, key: string, { callKey }: { readonly callKey?: string }, signal: AbortSignal): Promise<Result<boolean, Failure>> {
    return this.#database.transaction(async (run) => {
      const before = callKey === undefined ? undefined : await claim(run, callKey)
      if (before !== undefined) return before === true
      const gone = await run({ sql: `delete from stores_database_document where store = $1 and key = $2 returning 1 as one`, parameters: [store.name, key] })
      if (callKey !== undefined) await run({ sql: `update stores_database_call set outcome = $2::jsonb where call_key = $1`, parameters: [callKey, JSON.stringify(gone.length > 0)] })
      return gone.length > 0
    }, signal)
  }

  async history(store: StoreDefinition, key: string, signal: AbortSignal): Promise<Result<readonly StoreDocument[], Failure>> {
    const rows = await this.#database.run({ sql: `select key, store, version, payload, computed_at, null as expires_at, false as stale from stores_database_version where store = $1 and key = $2 order by version desc`, parameters: [store.name, key] }, signal)
    return rows.ok ? ok(rows.value.map((row) => documentOf(store, row))) : rows
  }

  async count(store: StoreDefinition, signal: AbortSignal): Promise<Result<number, Failure>> {
    const rows = await this.#database.run({ sql: `select count(*)::int as n from stores_database_document where store = $1`, parameters: [store.name] }, signal)
    return rows.ok ? ok(Number(rows.value[0]?.['n'] ?? 0)) : rows
  }
}

/** An atomic batch that was refused: thrown to roll the transaction back, and answered as a value. */
class Refused extends Error {
  readonly outcomes: readonly StoreWriteOutcome[]
  constructor(outcomes: readonly StoreWriteOutcome[]) {
    super('a document of this batch was refused')
    this.outcomes = outcomes.map((one) => (one.stored ? { key: one.key, stored: false, error: 'another document of this batch was refused' } : one))
  }
}

/** Takes the key of a call, or gives what came of it before. A second try waits here until the first has committed. */
async function claim(run: Run, callKey: string): Promise<unknown> {
  const fresh = await run({ sql: `insert into stores_database_call(call_key, outcome) values ($1, 'null') on conflict do nothing returning 1 as one`, parameters: [callKey] })
  if (fresh.length > 0) return undefined
  const kept = await run({ sql: `select outcome from stores_database_call where call_key = $1`, parameters: [callKey] })
  return jsonOf(kept[0]?.['outcome'])
}

async function writeOne(run: Run, store: StoreDefinition, { key, payload, ifVersion }: StoreWrite): Promise<StoreWriteOutcome> {
  // The row is locked first, so that two writers are one after the other and none is lost.
  const locked = await run({ sql: `select version, payload, computed_at from stores_database_document where store = $1 and key = $2 for update`, parameters: [store.name, key] })
  const current = Number(locked[0]?.['version'] ?? 0)
  if (ifVersion !== undefined && ifVersion !== current) return { key, stored: false, error: `the document stands at version ${current}, not ${ifVersion}` }
  const keep = store.history?.versions ?? 0
  if (keep > 0 && locked.length > 0) {
    await run({ sql: `insert into stores_database_version(store, key, version, payload, computed_at) select store, key, version, payload, computed_at from stores_database_document where store = $1 and key = $2 on conflict do nothing`, parameters: [store.name, key] })
    await run({ sql: `delete from stores_database_version where store = $1 and key = $2 and version <= $3::bigint`, parameters: [store.name, key, current - keep] })
  }
  const written = await run({
    sql: `insert into stores_database_document as d(store, key, version, payload, computed_at, expires_at)
      values ($1, $2, 1, $3::jsonb, clock_timestamp(), clock_timestamp() + $4::int * interval '1 s')
      on conflict (tenant, store, key) do update set version = d.version + 1, payload = excluded.payload, computed_at = excluded.computed_at, expires_at = excluded.expires_at
      where $5::bigint is null or d.version = $5::bigint
      returning version`,
    parameters: [store.name, key, JSON.stringify(payload), store.ttl ?? null, ifVersion ?? null],
  })
  const version = Number(written[0]?.['version'] ?? 0)
  if (version === 0) return { key, stored: false, error: `the document changed meanwhile; it does not stand at version ${ifVersion ?? 0}` }
  return { key, stored: true, version, ...(version === 1 ? {} : { previousVersion: version - 1 }) }
}

const jsonOf = (value: unknown): unknown => (typeof value === 'string' ? JSON.parse(value) : value)
const timeOf = (value: unknown): string => (value instanceof Date ? value : new Date(String(value))).toISOString()

function documentOf(store: StoreDefinition, row: Row): StoreDocument {
  const payload = jsonOf(row['payload']) as JsonObject // written by this class as an object
  // The database orders keys its own way; people read them in the order of the schema.
  const ordered = Object.fromEntries(Object.keys({ ...store.entity.schema, ...payload }).flatMap((name) => { const value = payload[name]; return value === undefined ? [] : [[name, value]] }))
  return {
    key: String(row['key']), store: store.name, version: Number(row['version']), payload: ordered,
    computedAt: timeOf(row['computed_at']), stale: row['stale'] === true,
    ...(row['expires_at'] === null || row['expires_at'] === undefined ? {} : { expiresAt: timeOf(row['expires_at']) }),
  }
}
