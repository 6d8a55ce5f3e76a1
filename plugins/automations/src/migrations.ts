import { sql } from '@amodal/sdk/database'
import type { Migration, MigrationList } from '@amodal/sdk'
import { db } from './tables.ts'

const TEXT_C = sql`text collate "C"`

const rules = () =>
  db.schema
    .createTable('automations_rule')
    .addColumn('tenant', TEXT_C, (column) => column.notNull())
    .addColumn('automation', TEXT_C, (column) => column.notNull())
    .addColumn('hash', TEXT_C)
    .addColumn('cursor', 'bigint', (column) => column.notNull())
    .addColumn('paused', 'boolean', (column) => column.notNull().defaultTo(false))
    .addColumn('retired', 'boolean', (column) => column.notNull().defaultTo(false))
    .addColumn('failures', 'integer', (column) => column.notNull().defaultTo(0))
    .addColumn('alerted_at', 'bigint')
    .addPrimaryKeyConstraint('automations_rule_pkey', ['tenant', 'automation'])

const runs = () =>
  db.schema
    .createTable('automations_run')
    .addColumn('tenant', TEXT_C, (column) => column.notNull())
    .addColumn('id', TEXT_C, (column) => column.notNull())
    .addColumn('automation', TEXT_C, (column) => column.notNull())
    .addColumn('occurrence', TEXT_C, (column) => column.notNull())
    .addColumn('source', TEXT_C, (column) => column.notNull())
    .addColumn('due', 'bigint', (column) => column.notNull())
    .addColumn('in_order', 'boolean', (column) => column.notNull())
    .addColumn('status', TEXT_C, (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('started_at', 'bigint')
    .addColumn('ended_at', 'bigint')
    .addColumn('session', TEXT_C)
    .addColumn('plan', 'text')
    .addColumn('event', 'text')
    .addColumn('result', 'text')
    .addColumn('error', 'text')
    .addColumn('refused', 'text', (column) => column.notNull().defaultTo('[]'))
    .addPrimaryKeyConstraint('automations_run_pkey', ['tenant', 'id'])
    .addUniqueConstraint('automations_run_occurrence', ['tenant', 'automation', 'occurrence'])

const deliveries = () =>
  db.schema
    .createTable('automations_delivery')
    .addColumn('tenant', TEXT_C, (column) => column.notNull())
    .addColumn('id', TEXT_C, (column) => column.notNull())
    .addColumn('run', TEXT_C, (column) => column.notNull())
    .addColumn('automation', TEXT_C, (column) => column.notNull())
    .addColumn('target', 'text', (column) => column.notNull())
    .addColumn('target_key', TEXT_C, (column) => column.notNull())
    .addColumn('ordered', 'boolean', (column) => column.notNull())
    .addColumn('payload', 'text', (column) => column.notNull())
    .addColumn('status', TEXT_C, (column) => column.notNull())
    .addColumn('attempts', 'integer', (column) => column.notNull().defaultTo(0))
    .addColumn('redrives', 'integer', (column) => column.notNull().defaultTo(0))
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('ended_at', 'bigint')
    .addColumn('error', 'text')
    .addPrimaryKeyConstraint('automations_delivery_pkey', ['tenant', 'id'])

const attempts = () =>
  db.schema
    .createTable('automations_attempt')
    .addColumn('tenant', TEXT_C, (column) => column.notNull())
    .addColumn('delivery', TEXT_C, (column) => column.notNull())
    .addColumn('n', 'integer', (column) => column.notNull())
    .addColumn('at', 'bigint', (column) => column.notNull())
    .addColumn('ms', 'integer', (column) => column.notNull())
    .addColumn('http_status', 'integer')
    .addColumn('error', 'text')
    .addColumn('body', 'text')
    .addPrimaryKeyConstraint('automations_attempt_pkey', ['tenant', 'delivery', 'n'])

const gone = () =>
  db.schema
    .createTable('automations_gone')
    .addColumn('tenant', TEXT_C, (column) => column.notNull())
    .addColumn('target_key', TEXT_C, (column) => column.notNull())
    .addColumn('at', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('automations_gone_pkey', ['tenant', 'target_key'])

const RUNS: Migration = {
  name: 'runs and deliveries',
  define: () => [
    rules(),
    runs(),
    db.schema
      .createIndex('automations_run_newest')
      .on('automations_run')
      .columns(['tenant', 'automation', 'created_at']),
    db.schema
      .createIndex('automations_run_open')
      .on('automations_run')
      .columns(['tenant', 'automation', 'started_at'])
      .where(sql.ref('ended_at'), 'is', null),
    deliveries(),
    db.schema
      .createIndex('automations_delivery_newest')
      .on('automations_delivery')
      .columns(['tenant', 'automation', 'created_at']),
    attempts(),
    gone(),
  ],
}

const HELD: Migration = {
  name: 'events that are held',
  define: () => [
    db.schema.alterTable('automations_run').addColumn('held_until', 'bigint'),
    db.schema
      .alterTable('automations_run')
      .addColumn('holds', 'integer', (column) => column.notNull().defaultTo(0)),
    db.schema
      .createIndex('automations_run_held')
      .on('automations_run')
      .columns(['tenant', 'automation', 'created_at'])
      .where(sql<boolean>`status = 'held'`),
  ],
}

/** A run is told of the last completed one, which may lie behind many that have not begun. */
const COMPLETED: Migration = {
  name: 'completed runs',
  define: () => [
    db.schema
      .createIndex('automations_run_completed')
      .on('automations_run')
      .columns(['tenant', 'automation', 'created_at', 'due'])
      .where(sql<boolean>`status = 'completed'`),
  ],
}

const WAITING: Migration = {
  name: 'runs that wait for a person',
  define: () => [
    db.schema.alterTable('automations_run').addColumn('waiting_since', 'bigint'),
    db.schema
      .alterTable('automations_run')
      .addColumn('waited_ms', 'bigint', (column) => column.notNull().defaultTo(0)),
    db.schema
      .alterTable('automations_run')
      .addColumn('wakes', 'integer', (column) => column.notNull().defaultTo(0)),
    db.schema
      .createIndex('automations_run_waiting')
      .on('automations_run')
      .columns(['waiting_since'])
      .where(sql<boolean>`status = 'waiting'`),
  ],
}

/** Instances work on rows of all tenants, so each statement names its own. */
export const MIGRATIONS: MigrationList = {
  plugin: 'automations',
  migrations: [RUNS, HELD, COMPLETED, WAITING],
  tenantTables: [],
}
