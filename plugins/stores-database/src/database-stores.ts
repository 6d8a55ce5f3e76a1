import { randomUUID } from 'node:crypto'
import { assertLease, keyedWrite } from '@amodal/sdk/database'
import {
  err,
  failure,
  ok,
  type Failure,
  type JsonObject,
  type Result,
  type Row,
  type StoreBackend,
  type StoreDefinition,
  type StoreDocument,
  type StorePage,
  type StoreQuery,
  type StoreWrite,
  type StoreWriteOptions,
  type StoreWriteOutcome,
  type TenantDatabase,
} from '@amodal/sdk'
import { countStatement, DOCUMENT, pageStatement } from './query.ts'
import { lockKeys, writeAll, type Run } from './write.ts'

/** What a call came to, as it is kept under its key. */
type Outcome = readonly StoreWriteOutcome[] | boolean

/** Documents of one tenant: the connection itself lets no other row through. */
export class DatabaseStores implements StoreBackend {
  readonly #database: TenantDatabase

  constructor(database: TenantDatabase) {
    this.#database = database
  }

  async get(
    store: StoreDefinition,
    key: string,
    signal: AbortSignal,
  ): Promise<Result<StoreDocument | undefined, Failure>> {
    const rows = await this.#database.run(
      {
        sql: `select ${DOCUMENT} from stores_database_document d where store = $1 and key = $2`,
        parameters: [store.name, key],
      },
      signal,
    )
    return rows.ok ? ok(rows.value.map((row) => documentOf(store, row))[0]) : rows
  }

  async query(
    store: StoreDefinition,
    query: StoreQuery,
    signal: AbortSignal,
  ): Promise<Result<StorePage, Failure>> {
    const counted = await this.#database.run(countStatement(store, query), signal)
    if (!counted.ok) return counted
    const total = Number(counted.value[0]?.['total'] ?? 0)
    if (total <= query.offset) return ok({ documents: [], total })
    const rows = await this.#database.run(pageStatement(store, query, total), signal)
    return rows.ok
      ? ok({ documents: rows.value.map((row) => documentOf(store, row)), total })
      : rows
  }

  async write(
    store: StoreDefinition,
    writes: readonly StoreWrite[],
    options: StoreWriteOptions,
    signal: AbortSignal,
  ): Promise<Result<readonly StoreWriteOutcome[], Failure>> {
    const { atomic } = options
    return this.#once(options, signal, async (run) => {
      const mayWrite = (outcomes: readonly StoreWriteOutcome[]): boolean =>
        !atomic || outcomes.every(({ stored }) => stored)
      const outcomes = await writeAll(run, store, writes, mayWrite)
      return mayWrite(outcomes)
        ? outcomes
        : outcomes.map((one) =>
            one.stored
              ? { key: one.key, stored: false, error: 'another document of this batch was refused' }
              : one,
          )
    })
  }

  remove(
    store: StoreDefinition,
    key: string,
    options: Pick<StoreWriteOptions, 'callKey' | 'asked' | 'lease'>,
    signal: AbortSignal,
  ): Promise<Result<boolean, Failure>> {
    return this.#once(options, signal, async (run) => {
      await lockKeys(run, store, [key])
      const parameters = [store.name, key]
      const before = ['stores_database_version', 'stores_database_value'].map((table) => ({
        sql: `delete from ${table} where store = $1 and key = $2`,
        parameters,
      }))
      return (
        (
          await run({
            before,
            sql: 'delete from stores_database_document where store = $1 and key = $2 returning 1 as one',
            parameters,
          })
        ).length > 0
      )
    })
  }

  async history(
    store: StoreDefinition,
    key: string,
    signal: AbortSignal,
  ): Promise<Result<readonly StoreDocument[], Failure>> {
    const sql =
      'select key, version, payload, computed_at, trace, null as expires_at, false as stale from stores_database_version where store = $1 and key = $2 order by version desc'
    const rows = await this.#database.run({ sql, parameters: [store.name, key] }, signal)
    return rows.ok ? ok(rows.value.map((row) => documentOf(store, row))) : rows
  }

  async count(store: StoreDefinition, signal: AbortSignal): Promise<Result<number, Failure>> {
    const rows = await this.#database.run(
      {
        sql: 'select count(*)::int as n from stores_database_document where store = $1',
        parameters: [store.name],
      },
      signal,
    )
    return rows.ok ? ok(Number(rows.value[0]?.['n'] ?? 0)) : rows
  }

  /**
   * In one transaction with its key: the same key again changes nothing, and answers as it did. So
   * one whose commit was not answered is made again; a write without a key gets one for that.
   */
  async #once<T extends Outcome>(
    {
      callKey = randomUUID(),
      asked,
      lease,
    }: Pick<StoreWriteOptions, 'callKey' | 'asked' | 'lease'>,
    signal: AbortSignal,
    work: (run: Run) => Promise<T>,
  ): Promise<Result<T, Failure>> {
    const done = await keyedWrite(
      () =>
        this.#database.transaction(async (run): Promise<T | typeof OTHER> => {
          // A second try waits here until the first one has committed.
          const fresh = await run({
            sql: `insert into stores_database_call(call_key, outcome, asked) values ($1, 'null', $2) on conflict do nothing returning 1 as one`,
            parameters: [callKey, asked],
          })
          if (fresh.length === 0) {
            const kept = await run({
              sql: 'select outcome, asked is distinct from $2 and asked is not null as other from stores_database_call where call_key = $1',
              parameters: [callKey, asked],
            })
            if (kept[0]?.['other'] === true) return OTHER
            return kept[0]?.['outcome'] as T // kept below
          }
          const outcome = await work(run)
          await run({
            sql: 'update stores_database_call set outcome = $2::jsonb where call_key = $1',
            parameters: [callKey, JSON.stringify(outcome)],
          })
          assertLease(lease)
          return outcome
        }, signal),
      signal,
    )
    if (!done.ok) return done
    return done.value === OTHER
      ? err(failure('MESSAGE_CONFLICT', 'this key belongs to another write'))
      : ok(done.value)
  }
}

/** Something else was asked under this key. */
const OTHER = Symbol('other')

const timeOf = (value: unknown): string =>
  (value instanceof Date ? value : new Date(String(value))).toISOString()

function documentOf(store: StoreDefinition, row: Row): StoreDocument {
  const payload = row['payload'] as JsonObject // written by this class as an object
  // The database orders keys its own way; people read them in the order of the schema.
  const names = new Set([...Object.keys(store.entity.schema), ...Object.keys(payload)])
  const ordered = Object.fromEntries(
    [...names].flatMap((name) => {
      const value = payload[name]
      return value === undefined ? [] : [[name, value]]
    }),
  )
  return {
    key: String(row['key']),
    store: store.name,
    version: Number(row['version']),
    payload: ordered,
    computedAt: timeOf(row['computed_at']),
    stale: row['stale'] === true,
    ...(row['expires_at'] !== null && { expiresAt: timeOf(row['expires_at']) }),
    // written by this class as an object
    ...(row['trace'] !== null && { trace: row['trace'] as JsonObject }),
  }
}
