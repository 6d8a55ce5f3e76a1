import { script, sql } from '@amodal/sdk/database'
import type { Migration } from '@amodal/sdk'
import { db } from '../tables.ts'
import { NOW, sessionIndex, TEXT_C } from './columns.ts'

const sessionsTable = () =>
  db.schema
    .createTable('sessions_lane')
    .addColumn('tenant', TEXT_C, (column) => column.notNull())
    .addColumn('session', TEXT_C, (column) => column.notNull())
    .addColumn('head', 'bigint', (column) => column.notNull())
    .addColumn('fence', 'bigint', (column) => column.notNull())
    .addColumn('owner', TEXT_C)
    .addColumn('lease_until', 'timestamptz')
    .addColumn('claim', TEXT_C)
    .addColumn('last_key', TEXT_C)
    .addColumn('messages', 'integer', (column) => column.notNull().defaultTo(0))
    .addColumn('controls', 'integer', (column) => column.notNull().defaultTo(0))
    .addColumn('parked', 'boolean', (column) => column.notNull().defaultTo(false))
    .addColumn('state', 'text', (column) => column.notNull())
    .addColumn('status', TEXT_C, (column) => column.notNull().defaultTo('active'))
    .addColumn('title', 'text', (column) => column.notNull())
    .addColumn('tags', sql`text[]`, (column) => column.notNull().defaultTo(sql`'{}'`))
    .addColumn('principal', 'text', (column) => column.notNull())
    .addColumn('message_count', 'integer', (column) => column.notNull().defaultTo(0))
    .addColumn('input_tokens', 'bigint', (column) => column.notNull().defaultTo(0))
    .addColumn('output_tokens', 'bigint', (column) => column.notNull().defaultTo(0))
    .addColumn('model', 'text')
    .addColumn('parent', TEXT_C)
    .addColumn('fork_at', 'bigint')
    .addColumn('meta', 'text', (column) => column.notNull())
    .addColumn('created_at', 'timestamptz', (column) => column.notNull().defaultTo(NOW))
    .addColumn('updated_at', 'timestamptz', (column) => column.notNull().defaultTo(NOW))
    .addColumn('idle_at', 'timestamptz')
    .addPrimaryKeyConstraint('sessions_lane_pkey', ['tenant', 'session'])
    .modifyEnd(sql`with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05)`)

const journal = () =>
  db.schema
    .createTable('sessions_journal')
    .addColumn('tenant', TEXT_C, (column) => column.notNull())
    .addColumn('session', TEXT_C, (column) => column.notNull())
    .addColumn('seq', 'bigint', (column) => column.notNull())
    .addColumn('body', 'text', (column) => column.notNull())
    .addColumn('sealed', 'text')
    .addPrimaryKeyConstraint('sessions_journal_pkey', ['tenant', 'session', 'seq'])

const inbox = () =>
  db.schema
    .createTable('sessions_inbox')
    .addColumn('tenant', TEXT_C, (column) => column.notNull())
    .addColumn('session', TEXT_C, (column) => column.notNull())
    .addColumn('key', TEXT_C, (column) => column.notNull())
    .addColumn('n', 'bigint', (column) => column.generatedAlwaysAsIdentity())
    .addColumn('body', 'text', (column) => column.notNull())
    .addColumn('control', 'boolean', (column) => column.notNull())
    .addColumn('taken', 'boolean', (column) => column.notNull().defaultTo(false))
    .addColumn('at', 'timestamptz', (column) => column.notNull().defaultTo(NOW))
    .addPrimaryKeyConstraint('sessions_inbox_pkey', ['tenant', 'session', 'key'])
    .modifyEnd(sql`with (fillfactor = 85, autovacuum_vacuum_scale_factor = 0.05)`)

/**
 * Two things the schema is careful about:
 * - Ids compare byte by byte (`collate "C"`): cheaper than a locale's rules, and one order on every
 *   database.
 * - Every further index is partial, under a condition that a look-up by `(tenant, session)` does
 *   not imply. Without statistics the planner holds any index that leads with `tenant` to be as
 *   good as the key, and then reads all sessions of a tenant to find one.
 */
export const LANES: Migration = {
  name: 'lanes, journals and inboxes',
  checksum: '34a9e822bd421b26b60d23d086942453889416b067198f4c1b083a515eff5a3b',
  define: () => [
    sessionsTable(),
    script(
      "comment on column sessions_lane.claim is 'key of the inbox item that claimed the lane last'",
    ),
    script(
      "comment on column sessions_lane.last_key is 'key of the last commit, which makes repeating it safe'",
    ),
    sessionIndex('sessions_lane_open', ['tenant', 'updated_at', 'session']).where(
      sql<boolean>`status <> 'expired'`,
    ),
    sessionIndex('sessions_lane_expired', ['tenant', 'updated_at', 'session']).where(
      sql<boolean>`status = 'expired'`,
    ),
    sessionIndex('sessions_lane_work', ['tenant', 'session']).where(
      sql<boolean>`owner is not null or controls > 0 or (messages > 0 and not parked)`,
    ),
    sessionIndex('sessions_lane_forks', ['tenant', 'parent']).where(
      sql<boolean>`parent is not null`,
    ),
    journal(),
    inbox(),
    db.schema
      .createIndex('sessions_inbox_taken')
      .on('sessions_inbox')
      .columns(['tenant', 'at'])
      .where(sql<boolean>`taken`),
  ],
}

/** Null until a call with a known price. */
export const COST: Migration = {
  name: 'what a session cost',
  checksum: '0e02618dc0c78a1afa3dc0d9edc3412410a872858b69a07bade60b99c90b004b',
  define: () => [
    db.schema.alterTable('sessions_lane').addColumn('cost', 'bigint'),
    script("comment on column sessions_lane.cost is 'billionths of a dollar'"),
  ],
}

export const CRASHES: Migration = {
  name: 'crashes and what is set aside',
  checksum: 'fb2ac75d580514ae075f61b76285eb78c5e907102e60e52ee1c1f672e81c2148',
  define: () => [
    db.schema
      .alterTable('sessions_lane')
      .addColumn('crashes', 'integer', (column) => column.notNull().defaultTo(0))
      .addColumn('trial', 'boolean', (column) => column.notNull().defaultTo(false))
      .addColumn('set_aside', 'text')
      .addColumn('unknown_effects', 'integer', (column) => column.notNull().defaultTo(0)),
    script(
      "comment on column sessions_lane.crashes is 'owners that were lost with this session since it last made progress'",
    ),
    script(
      "comment on column sessions_lane.trial is 'it runs alone, so that a crash says whose fault it is'",
    ),
    script(
      "comment on column sessions_lane.set_aside is 'why it waits for a person to decide whether it goes on'",
    ),
    sessionIndex('sessions_lane_troubled', ['tenant', 'updated_at']).where(
      sql<boolean>`set_aside is not null or unknown_effects > 0`,
    ),
  ],
}

/**
 * For sessions that are parked already, the first time in their state is used. An instance that
 * wakes one too early parks it once more.
 */
export const DUE: Migration = {
  name: 'when a question expires',
  checksum: 'bf119495104e62bc5854235fd7ea204d0e32df94337934a16077a43d71b7b613',
  define: () => [
    db.schema.alterTable('sessions_lane').addColumn('due', 'bigint'),
    script(
      "comment on column sessions_lane.due is 'ms since the epoch, from which on a parked lane has work: a question has expired'",
    ),
    script(
      `update sessions_lane set due = substring(state from '"expires_at":([0-9]{10,15})[,}]')::bigint where parked`,
    ),
    sessionIndex('sessions_lane_due', ['tenant', 'due']).where(sql<boolean>`due is not null`),
  ],
}

export const ENDS: Migration = {
  name: 'how a run ended',
  checksum: 'f15be41f8072cc1ad0afe122199bd85e9e87898103eca9855b808288589ec51c',
  define: () => [
    db.schema.alterTable('sessions_lane').addColumn('provider', 'text'),
    db.schema.alterTable('sessions_lane').addColumn('last_end', 'text'),
    script("comment on column sessions_lane.last_end is 'how the last run ended, as JSON'"),
    sessionIndex('sessions_lane_parked', ['tenant', 'session']).where(sql<boolean>`parked`),
  ],
}

export const REQUESTS: Migration = {
  name: 'the request that made a session',
  checksum: '077f89bda0918ba10fef5ff396919433413777d327a1f5f887a035dcc6188e43',
  define: () => [
    db.schema.alterTable('sessions_lane').addColumn('request', 'text'),
    script(
      "comment on column sessions_lane.request is 'digest of the request that made an empty session, so that it makes one'",
    ),
  ],
}

/**
 * No index has `taken` in its columns or its condition, so marking an item as taken adds no index
 * entry. The condition is true for every item: see {@link LANES} for why there is one.
 */
export const AGE: Migration = {
  name: 'inbox items by age',
  define: () => [
    db.schema.dropIndex('sessions_inbox_taken'),
    db.schema
      .createIndex('sessions_inbox_age')
      .on('sessions_inbox')
      .columns(['tenant', 'at'])
      .where(sql<boolean>`n > 0`),
  ],
}
