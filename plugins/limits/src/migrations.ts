import { script, sql } from '@amodal/sdk/database'
import type { Migration, MigrationList } from '@amodal/sdk'
import { db } from './tables.ts'

/**
 * Counts of requests in a window of time. Unlogged: no write waits for the disk, and after a crash
 * of the database counting begins anew.
 */
const WINDOWS: Migration = {
  name: 'windows of time',
  checksum: 'fa7f554fe06f6f6737621c823bf41771be6a549ac8bcf0cbb636fcdc769b7f78',
  define: () => [
    db.schema
      .createTable('limits_window')
      .modifyFront(sql`unlogged`)
      .addColumn('key', sql`varchar(255) collate "C"`, (column) => column.primaryKey())
      .addColumn('points', 'integer', (column) => column.notNull().defaultTo(0))
      .addColumn('expire', 'bigint'),
    script("comment on column limits_window.key is 'what is counted, and a hash of whose it is'"),
    script("comment on column limits_window.expire is 'ms since the epoch'"),
  ],
}

/** What was spent of budgets, and what is reserved for calls in progress. */
const BUDGETS: Migration = {
  name: 'budgets',
  checksum: 'd923bf322e317632168fb14cd69d5937ed07fa0110c6c7a5daa76d428b2e5be3',
  define: () => [
    db.schema
      .createTable('limits_budget')
      .addColumn('key', sql`varchar(64) collate "C"`, (column) => column.primaryKey())
      .addColumn('tokens', 'bigint', (column) => column.notNull())
      .addColumn('cost', 'bigint', (column) => column.notNull())
      .addColumn('held_tokens', 'bigint', (column) => column.notNull())
      .addColumn('held_cost', 'bigint', (column) => column.notNull())
      .addColumn('ends', 'bigint', (column) => column.notNull()),
    db.schema
      .createTable('limits_hold')
      .addColumn('id', sql`varchar(64) collate "C"`, (column) => column.notNull())
      .addColumn('key', sql`varchar(64) collate "C"`, (column) => column.notNull())
      .addColumn('tokens', 'bigint', (column) => column.notNull())
      .addColumn('cost', 'bigint', (column) => column.notNull())
      .addColumn('until', 'timestamptz', (column) => column.notNull())
      .addPrimaryKeyConstraint('limits_hold_pkey', ['id', 'key']),
    script(
      "comment on column limits_budget.key is 'a hash of whose budget it is, and of when it began'",
    ),
    script("comment on column limits_budget.cost is 'billionths of a dollar'"),
    script("comment on column limits_budget.ends is 'ms since the epoch'"),
    script(
      "comment on column limits_hold.until is 'given back then, unless whoever has it says otherwise'",
    ),
  ],
}

/** Counts, and no data of a tenant. */
export const MIGRATIONS: MigrationList = {
  plugin: 'limits',
  migrations: [WINDOWS, BUDGETS],
  tenantTables: [],
}
