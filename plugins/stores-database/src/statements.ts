import { sql, statement, type RawBuilder } from '@amodal/sdk/database'
import type { JsonObject } from '@amodal/sdk'
import { db } from './tables.ts'

interface Place {
  readonly store: string
  readonly key: string
}

/** Columns of a document `d`. */
export const DOCUMENT = [
  'd.key',
  'd.version',
  'd.payload',
  'd.computed_at',
  'd.expires_at',
  'd.trace',
] as const

export const STALE = sql<boolean>`(d.expires_at is not null and d.expires_at <= now())`

export const GET = statement(({ store, key }: Place) =>
  db
    .selectFrom('stores_database_document as d')
    .select(DOCUMENT)
    .select(STALE.as('stale'))
    .where('d.store', '=', store)
    .where('d.key', '=', key),
)

/** Earlier versions, the latest first. */
export const HISTORY = statement(({ store, key }: Place) =>
  db
    .selectFrom('stores_database_version')
    .select(['key', 'version', 'payload', 'computed_at', 'trace'])
    .select([sql<Date | null>`null::timestamptz`.as('expires_at'), sql<boolean>`false`.as('stale')])
    .where('store', '=', store)
    .where('key', '=', key)
    .orderBy('version', 'desc'),
)

export const COUNT = statement(({ store }: { store: string }) =>
  db
    .selectFrom('stores_database_document')
    .select(sql<number>`count(*)::int`.as('n'))
    .where('store', '=', store),
)

export const REMOVE_VERSIONS = statement(({ store, key }: Place) =>
  db.deleteFrom('stores_database_version').where('store', '=', store).where('key', '=', key),
)
export const REMOVE_VALUES = statement(({ store, key }: Place) =>
  db.deleteFrom('stores_database_value').where('store', '=', store).where('key', '=', key),
)
export const REMOVE = statement(({ store, key }: Place) =>
  db
    .deleteFrom('stores_database_document')
    .where('store', '=', store)
    .where('key', '=', key)
    .returning('key'),
)

interface Call {
  readonly callKey: string
  /** A digest of what is asked. */
  readonly asked: string | null
}

/**
 * Returns no row if the key was used already. A retry waits until the first attempt has committed.
 */
export const BEGIN_CALL = statement(({ callKey, asked }: Call) =>
  db
    .insertInto('stores_database_call')
    .values({ call_key: callKey, outcome: sql`'null'`, asked })
    .onConflict((conflict) => conflict.doNothing())
    .returning('call_key'),
)

/** `other`: the key was used for a different write. */
export const KEPT_CALL = statement(({ callKey, asked }: Call) =>
  db
    .selectFrom('stores_database_call')
    .select([
      'outcome',
      sql<boolean>`asked is distinct from ${asked} and asked is not null`.as('other'),
    ])
    .where('call_key', '=', callKey),
)

export const END_CALL = statement(({ callKey, outcome }: { callKey: string; outcome: string }) =>
  db
    .updateTable('stores_database_call')
    .set({ outcome: sql`${outcome}::jsonb` })
    .where('call_key', '=', callKey),
)

/** Those of seed documents stay: forgotten, the documents would come back. */
export const FORGET_CALLS = statement(({ days, limit }: { days: number; limit: number }) =>
  db
    .deleteFrom('stores_database_call')
    .where(
      sql`ctid`,
      'in',
      db
        .selectFrom('stores_database_call')
        .select(sql`ctid`.as('ctid'))
        .where('at', '<', sql<Date>`clock_timestamp() - ${days}::float8 * interval '1 day'`)
        .where('call_key', 'not like', 'seed:%')
        .limit(limit),
    )
    .returning('call_key'),
)

interface Keys {
  readonly store: string
  readonly keys: readonly string[]
}

const among = (keys: readonly string[]): RawBuilder<string> => sql<string>`any(${keys}::text[])`

export const VERSIONS = statement(({ store, keys }: Keys) =>
  db
    .selectFrom('stores_database_document')
    .select(['key', 'version'])
    .where('store', '=', store)
    .where('key', '=', among(keys)),
)

/** The lock of a document. */
const lockOf = (
  tenant: RawBuilder<string>,
  store: RawBuilder<string>,
  key: RawBuilder<string>,
): RawBuilder<number> =>
  sql<number>`hashtextextended(${tenant} || '/' || ${store} || '/' || ${key}, 0)`

/**
 * Held until the end of the transaction, taken in order. Two keys may share a lock, which only
 * costs time.
 */
export const LOCK_KEYS = statement(({ store, keys }: Keys) =>
  db
    .selectFrom(
      db
        .selectFrom(sql`unnest(${keys}::text[])`.as<'key'>(sql`key`))
        .select(
          lockOf(sql`current_setting('amodal.tenant')`, sql`${store}::text`, sql`key`).as('hash'),
        )
        .distinct()
        .orderBy('hash')
        .as('locks'),
    )
    .select(sql<number>`count(pg_advisory_xact_lock(hash))`.as('locked')),
)

interface NextRow {
  readonly key: string
  readonly version: number
  readonly payload: JsonObject
  readonly ttl: number | null
  readonly trace: JsonObject | null
}

/** Documents as they are to stand, given as JSON. */
const nextOf = (documents: string) =>
  sql<NextRow>`jsonb_to_recordset(${documents}::jsonb)`.as<'x'>(
    sql`x(key text, version bigint, payload jsonb, ttl float8, trace jsonb)`,
  )

interface Documents {
  readonly store: string
  readonly documents: string
}

export const PUT = statement(({ store, documents }: Documents) =>
  db
    .insertInto('stores_database_document')
    .columns(['store', 'key', 'version', 'payload', 'computed_at', 'expires_at', 'trace'])
    .expression(
      db
        .selectFrom(nextOf(documents))
        .select([
          sql<string>`${store}::text`.as('store'),
          'x.key',
          'x.version',
          'x.payload',
          sql<Date>`clock_timestamp()`.as('computed_at'),
          sql<Date | null>`clock_timestamp() + x.ttl * interval '1 s'`.as('expires_at'),
          sql<JsonObject | null>`nullif(x.trace, 'null')`.as('trace'),
        ]),
    )
    .onConflict((conflict) =>
      conflict.columns(['tenant', 'store', 'key']).doUpdateSet((eb) => ({
        version: eb.ref('excluded.version'),
        payload: eb.ref('excluded.payload'),
        computed_at: eb.ref('excluded.computed_at'),
        expires_at: eb.ref('excluded.expires_at'),
        trace: eb.ref('excluded.trace'),
      })),
    ),
)

export const CLEAR_VALUES = statement(({ store, keys }: Keys) =>
  db.deleteFrom('stores_database_value').where('store', '=', store).where('key', '=', among(keys)),
)

interface ValueRow {
  readonly field: string
  readonly text: string | null
  readonly number: number | null
  readonly flag: boolean | null
  readonly moment: Date | null
}

/** What the documents are found by. */
export const PUT_VALUES = statement(({ store, documents }: Documents) =>
  db
    .insertInto('stores_database_value')
    .columns(['store', 'key', 'field', 'text', 'number', 'flag', 'moment'])
    .expression(
      db
        .selectFrom(nextOf(documents))
        .crossJoinLateral(sql<ValueRow>`stores_database_values(x.payload)`.as('v'))
        .select([
          sql<string>`${store}::text`.as('store'),
          'x.key',
          'v.field',
          'v.text',
          'v.number',
          'v.flag',
          'v.moment',
        ]),
    ),
)

/** Documents as they stand, and those in between, which are given as JSON. */
export const KEEP_VERSIONS = statement(({ store, keys, documents }: Keys & Documents) =>
  db
    .insertInto('stores_database_version')
    .columns(['store', 'key', 'version', 'payload', 'computed_at', 'trace'])
    .expression(
      db
        .selectFrom('stores_database_document')
        .select(['store', 'key', 'version', 'payload', 'computed_at', 'trace'])
        .where('store', '=', store)
        .where('key', '=', among(keys))
        .unionAll(
          db
            .selectFrom(nextOf(documents))
            .select([
              sql<string>`${store}::text`.as('store'),
              'x.key',
              'x.version',
              'x.payload',
              sql<Date>`clock_timestamp()`.as('computed_at'),
              sql<JsonObject | null>`nullif(x.trace, 'null')`.as('trace'),
            ]),
        ),
    ),
)

/** Versions of these documents, given as JSON, that are more than `keep` behind. */
export const FORGET_VERSIONS = statement(
  ({ store, documents, keep }: Documents & { keep: number }) =>
    db
      .deleteFrom('stores_database_version as v')
      .using(nextOf(documents))
      .where('v.store', '=', store)
      .whereRef('v.key', '=', 'x.key')
      .where('v.version', '<', sql<number>`x.version - ${keep}::int`),
)

/** They have been stale for so many ms. */
const due = (keepMs: number): RawBuilder<boolean> =>
  sql<boolean>`d.expires_at < clock_timestamp() - ${keepMs}::float8 * interval '1 ms'`

/** The tenants with documents that expire, one step along the index each. */
const tenants = () =>
  db.withRecursive('t(tenant)', (within) =>
    within
      .selectFrom(
        within
          .selectFrom('stores_database_document')
          .select('tenant')
          .where('expires_at', 'is not', null)
          .orderBy('tenant')
          .limit(sql.lit(1))
          .as('first'),
      )
      .select(sql<string | null>`tenant`.as('tenant'))
      .unionAll(
        within
          .selectFrom('t')
          .select((eb) =>
            eb
              .selectFrom('stores_database_document as n')
              .select('n.tenant')
              .where('n.expires_at', 'is not', null)
              .whereRef('n.tenant', '>', 't.tenant')
              .orderBy('n.tenant')
              .limit(sql.lit(1))
              .as('tenant'),
          )
          .where('t.tenant', 'is not', null),
      ),
  )

/**
 * The oldest of each tenant. A document that somebody writes now is left out: its lock is theirs,
 * and what they write is fresh again.
 */
export const TAKE_DUE = statement(({ keepMs, limit }: { keepMs: number; limit: number }) =>
  tenants()
    .with(
      (name) => name('due').materialized(),
      (within) =>
        within
          .selectFrom('t')
          .crossJoinLateral((eb) =>
            eb
              .selectFrom('stores_database_document as d')
              .select(['d.tenant', 'd.store', 'd.key'])
              .whereRef('d.tenant', '=', 't.tenant')
              .where(due(keepMs))
              .orderBy('d.expires_at')
              .limit(limit)
              .as('old'),
          )
          .select(['old.tenant', 'old.store', 'old.key'])
          .limit(limit),
    )
    .selectFrom('due')
    .select(['tenant', 'store', 'key'])
    .where(sql<boolean>`pg_try_advisory_xact_lock(${lockOf(sql`tenant`, sql`store`, sql`key`)})`),
)

interface DocumentKey {
  readonly tenant: string
  readonly store: string
  readonly key: string
}

/**
 * Checks again whether they are due: they may have been written before the lock was acquired.
 *
 * @param rows of {@link TAKE_DUE} as JSON
 */
export const REMOVE_DUE = statement(({ keepMs, rows }: { keepMs: number; rows: string }) =>
  db
    .with(
      (name) => name('mine').materialized(),
      (within) =>
        within
          .selectFrom(
            sql<DocumentKey>`jsonb_to_recordset(${rows}::jsonb)`.as<'x'>(
              sql`x(tenant text, store text, key text)`,
            ),
          )
          .selectAll(),
    )
    .with('gone', (within) =>
      within
        .deleteFrom('stores_database_document as d')
        .using('mine as m')
        .whereRef('d.tenant', '=', 'm.tenant')
        .whereRef('d.store', '=', 'm.store')
        .whereRef('d.key', '=', 'm.key')
        .where(due(keepMs))
        .returning(['d.tenant', 'd.store', 'd.key']),
    )
    .with('v', (within) =>
      within
        .deleteFrom('stores_database_version as x')
        .using('gone as g')
        .whereRef('x.tenant', '=', 'g.tenant')
        .whereRef('x.store', '=', 'g.store')
        .whereRef('x.key', '=', 'g.key'),
    )
    .with('f', (within) =>
      within
        .deleteFrom('stores_database_value as x')
        .using('gone as g')
        .whereRef('x.tenant', '=', 'g.tenant')
        .whereRef('x.store', '=', 'g.store')
        .whereRef('x.key', '=', 'g.key'),
    )
    .selectFrom('gone')
    .select(['tenant', 'store', sql<number>`count(*)::int`.as('count')])
    .groupBy(['tenant', 'store']),
)
