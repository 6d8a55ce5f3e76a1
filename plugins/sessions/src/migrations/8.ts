import { script, sql, statement } from '@amodal/sdk/database'
import type { Migration } from '@amodal/sdk'
import { db } from '../tables.ts'
import { NOW, sessionIndex, TEXT_C } from './columns.ts'

/** Rows of one time span are in one bucket of the lists' indexes: see {@link HOT}. */
const BUCKET = sql`date_bin(interval '5 minutes', updated_at, timestamptz 'epoch')`

const HAS_WORK = sql<boolean>`owner is not null or controls > 0 or (messages > 0 and not parked)`

/**
 * The log holds of an update on its page the bytes between the first and the last one that
 * changed. So columns that a turn does not change come first, then those that commits change, then
 * those that commits and accepts change, and last those that only accepts change.
 */
const lanesInOrder = () =>
  db.schema
    .createTable('sessions_lane')
    .addColumn('lane', 'bigint', (column) => column.notNull().generatedAlwaysAsIdentity())
    .addColumn('created_at', 'timestamptz', (column) => column.notNull().defaultTo(NOW))
    .addColumn('tenant', TEXT_C, (column) => column.notNull())
    .addColumn('session', TEXT_C, (column) => column.notNull())
    .addColumn('principal', 'text', (column) => column.notNull())
    .addColumn('tags', sql`text[]`, (column) => column.notNull().defaultTo(sql`'{}'`))
    .addColumn('meta', 'text', (column) => column.notNull())
    .addColumn('parent', TEXT_C)
    .addColumn('fork_at', 'bigint')
    .addColumn('request', 'text')
    .addColumn('title', 'text', (column) => column.notNull())
    .addColumn('status', TEXT_C, (column) => column.notNull().defaultTo('active'))
    .addColumn('idle_at', 'timestamptz')
    .addColumn('parked', 'boolean', (column) => column.notNull().defaultTo(false))
    .addColumn('trial', 'boolean', (column) => column.notNull().defaultTo(false))
    .addColumn('crashes', 'integer', (column) => column.notNull().defaultTo(0))
    .addColumn('unknown_effects', 'integer', (column) => column.notNull().defaultTo(0))
    .addColumn('due', 'bigint')
    .addColumn('set_aside', 'text')
    .addColumn('provider', 'text')
    .addColumn('model', 'text')
    .addColumn('bucket', 'timestamptz', (column) =>
      column.notNull().generatedAlwaysAs(BUCKET).stored(),
    )
    .addColumn('controls', 'integer', (column) => column.notNull().defaultTo(0))
    .addColumn('last_end', 'text')
    .addColumn('input_tokens', 'bigint', (column) => column.notNull().defaultTo(0))
    .addColumn('output_tokens', 'bigint', (column) => column.notNull().defaultTo(0))
    .addColumn('cost', 'bigint')
    .addColumn('head', 'bigint', (column) => column.notNull())
    .addColumn('message_count', 'integer', (column) => column.notNull().defaultTo(0))
    .addColumn('state', 'text', (column) => column.notNull())
    .addColumn('last_key', TEXT_C)
    .addColumn('messages', 'integer', (column) => column.notNull().defaultTo(0))
    .addColumn('updated_at', 'timestamptz', (column) => column.notNull().defaultTo(NOW))
    .addColumn('lease_until', 'timestamptz')
    .addColumn('owner', TEXT_C)
    .addColumn('work', 'boolean', (column) => column.notNull().defaultTo(false))
    .addColumn('fence', 'bigint', (column) => column.notNull())
    .addColumn('claim', TEXT_C)
    .addPrimaryKeyConstraint('sessions_lane_pkey', ['tenant', 'session'])
    .addCheckConstraint('sessions_lane_work_is_marked', sql<boolean>`work or not (${HAS_WORK})`)
    .modifyEnd(sql`with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05)`)

/** In the order of {@link lanesInOrder}, without generated columns. */
const COPIED = sql.join(
  [
    'created_at',
    'tenant',
    'session',
    'principal',
    'tags',
    'meta',
    'parent',
    'fork_at',
    'request',
    'title',
    'status',
    'idle_at',
    'parked',
    'trial',
    'crashes',
    'unknown_effects',
    'due',
    'set_aside',
    'provider',
    'model',
    'controls',
    'last_end',
    'input_tokens',
    'output_tokens',
    'cost',
    'head',
    'message_count',
    'state',
    'last_key',
    'messages',
    'updated_at',
    'lease_until',
    'owner',
    'fence',
    'claim',
  ].map((name) => sql.ref(name)),
)

const journalByLane = () =>
  db.schema
    .createTable('sessions_journal')
    .addColumn('lane', 'bigint', (column) => column.notNull())
    .addColumn('seq', 'bigint', (column) => column.notNull())
    .addColumn('body', 'text', (column) => column.notNull())
    .addColumn('sealed', 'text')
    .addPrimaryKeyConstraint('sessions_journal_pkey', ['lane', 'seq'])

const COMMENTS = {
  lane: 'number of the session, by which its journal is found',
  bucket:
    'five minutes of updated_at: lists are in its order, so that an update seldom changes their index',
  work: 'it may have work: true wherever it has some, and set back later by whoever looks for work',
  claim: 'key of the inbox item that claimed the lane last',
  last_key: 'key of the last commit, which makes repeating it safe',
  cost: 'billionths of a dollar',
  crashes: 'owners that were lost with this session since it last made progress',
  trial: 'it runs alone, so that a crash says whose fault it is',
  set_aside: 'why it waits for a person to decide whether it goes on',
  due: 'ms since the epoch, from which on a parked lane has work: a question has expired',
  last_end: 'how the last run ended, as JSON',
  request: 'digest of the request that made an empty session, so that it makes one',
} as const

/**
 * No index mentions a column that a turn changes, in its columns or its condition, so an update
 * stays on its page and adds no index entry (a "heap-only tuple"):
 * - Lists and expiry go by a bucket of the time. Within one, rows are sorted when they are read.
 * - The search for work reads the marked rows and checks the condition. The mark stays after a
 *   turn. The database refuses a row that has work and no mark.
 *
 * The journal has the number of its session as its key: a third of the width. Old items of inboxes
 * are found without an index of their own.
 */
export const HOT: Migration = {
  name: 'turns change no index of sessions',
  define: () => [
    script('alter table sessions_lane rename to sessions_lane_before'),
    script('alter table sessions_lane_before rename constraint sessions_lane_pkey to before_pkey'),
    script('alter table sessions_journal rename to sessions_journal_before'),
    script(
      'alter table sessions_journal_before rename constraint sessions_journal_pkey to journal_before_pkey',
    ),
    lanesInOrder(),
    ...Object.entries(COMMENTS).map(([column, comment]) =>
      statement(
        () => sql<never>`comment on column sessions_lane.${sql.ref(column)} is ${sql.lit(comment)}`,
      )(),
    ),
    statement(
      () =>
        sql<never>`insert into sessions_lane(work, ${COPIED}) select ${HAS_WORK}, ${COPIED} from sessions_lane_before order by created_at, tenant, session`,
    )(),
    journalByLane(),
    script(
      'insert into sessions_journal(lane, seq, body, sealed) select l.lane, b.seq, b.body, b.sealed from sessions_journal_before b join sessions_lane l using (tenant, session) order by 1, 2',
    ),
    script('drop table sessions_journal_before'),
    script('drop table sessions_lane_before'),
    sessionIndex('sessions_lane_open', ['tenant', 'bucket']).where(
      sql<boolean>`status <> 'expired'`,
    ),
    sessionIndex('sessions_lane_expired', ['tenant', 'bucket']).where(
      sql<boolean>`status = 'expired'`,
    ),
    sessionIndex('sessions_lane_troubled', ['tenant', 'session']).where(
      sql<boolean>`set_aside is not null or unknown_effects > 0`,
    ),
    sessionIndex('sessions_lane_work', ['tenant', 'session']).where(sql<boolean>`work`),
    sessionIndex('sessions_lane_forks', ['tenant', 'parent']).where(
      sql<boolean>`parent is not null`,
    ),
    sessionIndex('sessions_lane_due', ['tenant', 'due']).where(sql<boolean>`due is not null`),
    sessionIndex('sessions_lane_parked', ['tenant', 'session']).where(sql<boolean>`parked`),
    db.schema.dropIndex('sessions_inbox_age'),
    script('analyze sessions_lane'),
  ],
}
