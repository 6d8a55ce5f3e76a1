import { script, sql, statement } from '@amodal/sdk/database'
import type { Migration } from '@amodal/sdk'
import { ENTRIES_OF_ROW } from '../journal-rows.ts'
import { db } from '../tables.ts'
import { sessionIndex, TEXT_C } from './columns.ts'

/**
 * A row is in one of the two indexes that replace the one of open sessions. The third one is only
 * for rows that rest.
 */
export const KINDS: Migration = {
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

/** Columns with what people write, and what is derived from it. */
const CONTENT = {
  sessions_lane: ['title', 'tags', 'meta', 'state', 'last_end'],
  sessions_journal: ['body', 'sealed'],
  sessions_inbox: ['body'],
} as const

/**
 * The database keeps samples of a column in its statistics, which an erasure does not reach until
 * they are collected the next time. No statement searches by these columns.
 */
export const SAMPLES: Migration = {
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
export const SHARED: Migration = {
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
 * A row and its key cost more than a short entry, so the entries of a commit are one row. Older
 * rows have one entry.
 */
export const COMMITS: Migration = {
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
