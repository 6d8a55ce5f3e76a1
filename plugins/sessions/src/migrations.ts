import { script, sql, statement } from '@amodal/sdk/database'
import type { Migration, MigrationList } from '@amodal/sdk'
import { db } from './tables.ts'

const TEXT_C = sql`text collate "C"`
const NOW = sql`clock_timestamp()`

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

/** A partial index on the sessions table, of rows for which the condition is true. */
const sessionIndex = (name: string, columns: readonly string[]) =>
  db.schema
    .createIndex(name)
    .on('sessions_lane')
    .columns([...columns])

/**
 * Two things the schema is careful about:
 * - Ids compare byte by byte (`collate "C"`): cheaper than a locale's rules, and one order on every
 *   database.
 * - Every further index is partial, under a condition that a look-up by `(tenant, session)` does
 *   not imply. Without statistics the planner holds any index that leads with `tenant` to be as
 *   good as the key, and then reads all sessions of a tenant to find one.
 */
const LANES: Migration = {
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

/** Null until a call is made whose price is known. */
const COST: Migration = {
  name: 'what a session cost',
  checksum: '0e02618dc0c78a1afa3dc0d9edc3412410a872858b69a07bade60b99c90b004b',
  define: () => [
    db.schema.alterTable('sessions_lane').addColumn('cost', 'bigint'),
    script("comment on column sessions_lane.cost is 'billionths of a dollar'"),
  ],
}

const CRASHES: Migration = {
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
 * For sessions that are parked already, the first time in their state is used: an instance that
 * wakes them too early parks them again.
 */
const DUE: Migration = {
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

const ENDS: Migration = {
  name: 'how a run ended',
  checksum: 'f15be41f8072cc1ad0afe122199bd85e9e87898103eca9855b808288589ec51c',
  define: () => [
    db.schema.alterTable('sessions_lane').addColumn('provider', 'text'),
    db.schema.alterTable('sessions_lane').addColumn('last_end', 'text'),
    script("comment on column sessions_lane.last_end is 'how the last run ended, as JSON'"),
    sessionIndex('sessions_lane_parked', ['tenant', 'session']).where(sql<boolean>`parked`),
  ],
}

const REQUESTS: Migration = {
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
const AGE: Migration = {
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

/** Rows of one time span are in one bucket of the lists' indexes: see {@link HOT}. */
const BUCKET = sql`date_bin(interval '5 minutes', updated_at, timestamptz 'epoch')`

const HAS_WORK = sql<boolean>`owner is not null or controls > 0 or (messages > 0 and not parked)`

/**
 * The log holds of an update on its page what lies between the first and the last byte that
 * changed. So what a turn leaves alone comes first, then what commits change, then what commits and
 * accepts change, and at the end what accepts alone change.
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

/** In the order of {@link lanesInOrder}, without what the database makes. */
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
 * - Whoever looks for work reads the rows that are marked, and asks for the condition. The mark
 *   stays after a turn. The database refuses a row that has work and no mark.
 *
 * The journal has the number of its session as its key: a third of the width. Old items of inboxes
 * are found without an index of their own.
 */
const HOT: Migration = {
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

/**
 * A row is in one of the two indexes that replace the one of open sessions. The third one is only
 * for rows that rest.
 */
const KINDS: Migration = {
  name: 'kinds of sessions, and when each expires',
  define: () => [
    db.schema
      .alterTable('sessions_lane')
      .addColumn('kind', TEXT_C, (column) => column.notNull().defaultTo('chat')),
    script(
      "comment on column sessions_lane.kind is 'what it was begun for, which decides how long it is kept'",
    ),
    script("update sessions_lane set kind = 'automation' where principal like 'automation:%'"),
    sessionIndex('sessions_lane_active', ['tenant', 'bucket']).where(
      sql<boolean>`status = 'active'`,
    ),
    sessionIndex('sessions_lane_idle', ['tenant', 'bucket']).where(sql<boolean>`status = 'idle'`),
    sessionIndex('sessions_lane_resting', ['tenant', 'kind', 'idle_at']).where(
      sql<boolean>`status = 'idle'`,
    ),
    db.schema.dropIndex('sessions_lane_open'),
  ],
}

/** What people write, and what is made of it. */
const CONTENT = {
  sessions_lane: ['title', 'tags', 'meta', 'state', 'last_end'],
  sessions_journal: ['body', 'sealed'],
  sessions_inbox: ['body'],
} as const

/**
 * The database keeps samples of a column in its statistics, where no erasure reaches them before
 * they are made anew. Nothing is looked up by these columns.
 */
const SAMPLES: Migration = {
  name: 'no samples of what people write',
  define: () =>
    Object.entries(CONTENT).flatMap(([table, columns]) =>
      columns.map((column) =>
        statement(
          () =>
            sql<never>`alter table ${sql.table(table)} alter column ${sql.ref(column)} set statistics 0`,
        )(),
      ),
    ),
}

/** Values that all sessions of a tenant share. */
const SHARED: Migration = {
  name: 'values that sessions share',
  define: () => [
    db.schema
      .createTable('sessions_shared')
      .addColumn('tenant', TEXT_C, (column) => column.notNull())
      .addColumn('name', TEXT_C, (column) => column.notNull())
      .addColumn('version', 'bigint', (column) => column.notNull())
      .addColumn('value', 'text', (column) => column.notNull())
      .addPrimaryKeyConstraint('sessions_shared_pkey', ['tenant', 'name']),
    script("comment on column sessions_shared.version is 'how often it has changed'"),
    script('alter table sessions_shared alter column value set statistics 0'),
  ],
}

/**
 * Between the entries of a row: the record separator, which JSON has in escaped form alone, as RFC
 * 7464 has it.
 */
export const SEPARATOR = '\u001e'

/** Entries of the row `r` of the journal, each with its number. */
export const ENTRIES_OF_ROW = sql`
  select r.seq - cardinality(b.parts) + e.n seq, e.body, nullif(e.sealed, '') sealed
  from (select string_to_array(r.body, chr(30)) parts) b
  cross join lateral unnest(b.parts, string_to_array(r.sealed, chr(30))) with ordinality e(body, sealed, n)`

/**
 * A row and its key cost more than a short entry, so the entries of a commit are one row. Rows of
 * before are the same with one entry.
 */
const COMMITS: Migration = {
  name: 'a row of the journal for each commit',
  define: () => [
    script("comment on column sessions_journal.seq is 'of the last entry of the row'"),
    script(
      "comment on column sessions_journal.body is 'the entries of a commit, each as JSON, with chr(30) between them'",
    ),
    script(
      "comment on column sessions_journal.sealed is 'the same for what is sealed of them, empty where nothing is'",
    ),
    statement(
      () =>
        sql<never>`create view sessions_entry as select r.lane, e.seq, e.body, e.sealed from sessions_journal r cross join lateral (${ENTRIES_OF_ROW}) e`,
    )(),
  ],
}

/**
 * Not under the tenant role: a plugin reaches sessions through the SessionStore slot, never by SQL
 * of its own.
 */
export const MIGRATIONS: MigrationList = {
  plugin: 'sessions',
  migrations: [
    LANES,
    COST,
    CRASHES,
    DUE,
    ENDS,
    REQUESTS,
    AGE,
    HOT,
    KINDS,
    SAMPLES,
    COMMITS,
    SHARED,
  ],
  tenantTables: [],
}
