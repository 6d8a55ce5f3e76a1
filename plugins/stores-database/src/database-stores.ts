import { randomUUID } from 'node:crypto'
import { assertLease, keyedWrite, runIn, runQuery } from '@amodal/sdk/database'
import {
  err,
  failure,
  ok,
  type Failure,
  type Result,
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
import { countStatement, pageStatement, type DocumentRow } from './query.ts'
import {
  BEGIN_CALL,
  COUNT,
  END_CALL,
  GET,
  HISTORY,
  KEPT_CALL,
  REMOVE,
  REMOVE_VALUES,
  REMOVE_VERSIONS,
} from './statements.ts'
import { lockKeys, writeAll, type Run } from './write.ts'

/** The outcome of a call, as stored under its key. */
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
    const rows = await runQuery(this.#database, GET({ store: store.name, key }), signal)
    return rows.ok ? ok(rows.value.map((row) => documentOf(store, row))[0]) : rows
  }

  async query(
    store: StoreDefinition,
    query: StoreQuery,
    signal: AbortSignal,
  ): Promise<Result<StorePage, Failure>> {
    const counted = await runQuery(this.#database, countStatement(store, query), signal)
    if (!counted.ok) return counted
    const total = counted.value[0]?.total ?? 0
    if (total <= query.offset) return ok({ documents: [], total })
    const rows = await runQuery(this.#database, pageStatement(store, query, total), signal)
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
    options: Pick<StoreWriteOptions, 'callKey' | 'requestDigest' | 'lease'>,
    signal: AbortSignal,
  ): Promise<Result<boolean, Failure>> {
    return this.#once(options, signal, async (run) => {
      await lockKeys(run, store, [key])
      const place = { store: store.name, key }
      const before = [REMOVE_VERSIONS(place), REMOVE_VALUES(place)]
      return (await runIn(run, { ...REMOVE(place), before })).length > 0
    })
  }

  async history(
    store: StoreDefinition,
    key: string,
    signal: AbortSignal,
  ): Promise<Result<readonly StoreDocument[], Failure>> {
    const rows = await runQuery(this.#database, HISTORY({ store: store.name, key }), signal)
    return rows.ok ? ok(rows.value.map((row) => documentOf(store, row))) : rows
  }

  async count(store: StoreDefinition, signal: AbortSignal): Promise<Result<number, Failure>> {
    const rows = await runQuery(this.#database, COUNT({ store: store.name }), signal)
    return rows.ok ? ok(rows.value[0]?.n ?? 0) : rows
  }

  /**
   * Runs in one transaction with its key: a repeated key changes nothing and returns the first
   * outcome. So a write whose commit was not confirmed can be retried; a write without a key gets
   * one.
   */
  async #once<T extends Outcome>(
    {
      callKey = randomUUID(),
      requestDigest: asked,
      lease,
    }: Pick<StoreWriteOptions, 'callKey' | 'requestDigest' | 'lease'>,
    signal: AbortSignal,
    work: (run: Run) => Promise<T>,
  ): Promise<Result<T, Failure>> {
    const done = await keyedWrite(
      () =>
        this.#database.transaction(async (run): Promise<T | typeof OTHER> => {
          // A concurrent retry waits here until the first attempt has committed.
          const call = { callKey, asked: asked ?? null }
          const fresh = await runIn(run, BEGIN_CALL(call))
          if (fresh.length === 0) {
            const [kept] = await runIn(run, KEPT_CALL(call))
            if (kept?.other === true) return OTHER
            return kept?.outcome as T // kept below
          }
          const outcome = await work(run)
          await runIn(run, END_CALL({ callKey, outcome: JSON.stringify(outcome) }))
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

/** The key was used for a different write. */
const OTHER = Symbol('other')

function documentOf(store: StoreDefinition, row: DocumentRow): StoreDocument {
  const { key, version, payload } = row
  // The database orders keys its own way; people read them in the order of the schema.
  const names = new Set([...Object.keys(store.entity.schema), ...Object.keys(payload)])
  const ordered = Object.fromEntries(
    [...names].flatMap((name) => {
      const value = payload[name]
      return value === undefined ? [] : [[name, value]]
    }),
  )
  return {
    key,
    store: store.name,
    version,
    payload: ordered,
    computedAt: row.computed_at.toISOString(),
    stale: row.stale,
    ...(row.expires_at !== null && { expiresAt: row.expires_at.toISOString() }),
    ...(row.trace !== null && { trace: row.trace }),
  }
}
