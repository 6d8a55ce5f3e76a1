import { sql } from '@amodal/sdk/database'
import type { Migration, MigrationList } from '@amodal/sdk'
import { db } from './tables.ts'

const TEXT_C = sql`text collate "C"`

const tenantTable = (name: string) =>
  db.schema
    .createTable(name)
    .addColumn('tenant', TEXT_C, (column) =>
      column.notNull().defaultTo(sql`current_setting('amodal.tenant', true)`),
    )

const RUNS: Migration = {
  name: 'usage of runs',
  define: () => [
    tenantTable('usage_run')
      .addColumn('run', TEXT_C, (column) => column.notNull())
      .addColumn('session', TEXT_C, (column) => column.notNull())
      .addColumn('principal', 'text', (column) => column.notNull())
      .addColumn('agent', 'text', (column) => column.notNull())
      .addColumn('automation', 'text')
      .addColumn('profile', 'text')
      .addColumn('started_at', 'bigint', (column) => column.notNull())
      .addColumn('ended_at', 'bigint', (column) => column.notNull())
      .addColumn('ms', 'bigint', (column) => column.notNull())
      .addColumn('waited_ms', 'bigint', (column) => column.notNull())
      .addColumn('model_ms', 'bigint', (column) => column.notNull())
      .addColumn('reason', 'text', (column) => column.notNull())
      .addColumn('error', 'text')
      .addColumn('calls', 'integer', (column) => column.notNull())
      .addColumn('call_errors', 'integer', (column) => column.notNull())
      .addColumn('input_tokens', 'bigint', (column) => column.notNull())
      .addColumn('output_tokens', 'bigint', (column) => column.notNull())
      .addColumn('cache_read', 'bigint', (column) => column.notNull())
      .addColumn('cache_write', 'bigint', (column) => column.notNull())
      .addColumn('cost', 'bigint')
      .addColumn('unpriced', 'integer', (column) => column.notNull())
      .addColumn('models', 'jsonb', (column) => column.notNull())
      .addColumn('tools', 'jsonb', (column) => column.notNull())
      .addColumn('seq', 'bigint', (column) => column.notNull())
      .addPrimaryKeyConstraint('usage_run_pkey', ['tenant', 'run']),
    db.schema.createIndex('usage_run_ended').on('usage_run').columns(['tenant', 'ended_at', 'run']),
    db.schema
      .createIndex('usage_run_session')
      .on('usage_run')
      .columns(['tenant', 'session', 'seq']),
    tenantTable('usage_tenant')
      .addColumn('since', 'bigint', (column) => column.notNull())
      .addColumn('compared', 'bigint', (column) => column.notNull())
      .addPrimaryKeyConstraint('usage_tenant_pkey', ['tenant']),
  ],
}

const ALERTS: Migration = {
  name: 'alerts of budgets',
  define: () => [
    tenantTable('usage_alert')
      .addColumn('budget', TEXT_C, (column) => column.notNull())
      .addColumn('period', TEXT_C, (column) => column.notNull())
      .addColumn('percent', 'double precision', (column) => column.notNull())
      .addColumn('at', 'bigint', (column) => column.notNull())
      .addColumn('spent', 'bigint', (column) => column.notNull())
      .addPrimaryKeyConstraint('usage_alert_pkey', ['tenant', 'budget', 'period', 'percent']),
  ],
}

/**
 * One index finds the runs of a session and keeps each from being counted twice: a run ends with
 * one entry of its session. Every index entry that a run adds is written to the log.
 */
const TWO_INDEXES: Migration = {
  name: 'two indexes',
  define: () => [
    db.schema.dropIndex('usage_run_session'),
    db.schema.dropIndex('usage_run_ended'),
    db.schema.alterTable('usage_run').dropConstraint('usage_run_pkey'),
    db.schema
      .alterTable('usage_run')
      .addPrimaryKeyConstraint('usage_run_pkey', ['tenant', 'session', 'seq']),
    db.schema.createIndex('usage_run_ended').on('usage_run').columns(['tenant', 'ended_at']),
  ],
}

export const MIGRATIONS: MigrationList = {
  plugin: 'usage',
  tenantTables: ['usage_run', 'usage_tenant', 'usage_alert'],
  migrations: [RUNS, ALERTS, TWO_INDEXES],
}
