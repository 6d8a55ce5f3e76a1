import { sql } from '@amodal/sdk/database'
import type { Migration, MigrationList } from '@amodal/sdk'
import { db } from '../tables.ts'

const TEXT_C = sql`text collate "C"`

/** A table whose rows always belong to whoever writes them. */
const tenantTable = (name: string) =>
  db.schema
    .createTable(name)
    .addColumn('tenant', TEXT_C, (column) =>
      column.notNull().defaultTo(sql`current_setting('amodal.tenant', true)`),
    )
    .addColumn('experiment', TEXT_C, (column) => column.notNull())

const RUNS: Migration = {
  name: 'runs and decisions',
  define: () => [
    tenantTable('experiments_run')
      .addColumn('version', TEXT_C, (column) => column.notNull())
      .addColumn('variant', TEXT_C, (column) => column.notNull())
      .addColumn('principal', TEXT_C, (column) => column.notNull())
      .addColumn('session', TEXT_C, (column) => column.notNull())
      .addColumn('run', TEXT_C, (column) => column.notNull())
      .addColumn('at', 'bigint', (column) => column.notNull())
      .addColumn('failed', 'boolean', (column) => column.notNull())
      .addColumn('cost', 'double precision')
      .addColumn('seconds', 'double precision')
      .addColumn('feedback', 'double precision')
      .addPrimaryKeyConstraint('experiments_run_pkey', ['tenant', 'experiment', 'run']),
    db.schema
      .createIndex('experiments_run_session')
      .on('experiments_run')
      .columns(['tenant', 'session', 'run']),
    tenantTable('experiments_decision')
      .addColumn('promoted', TEXT_C)
      .addColumn('principal', TEXT_C, (column) => column.notNull())
      .addColumn('at', 'bigint', (column) => column.notNull())
      .addPrimaryKeyConstraint('experiments_decision_pkey', ['tenant', 'experiment']),
  ],
}

export const MIGRATIONS: MigrationList = {
  plugin: 'experiments',
  tenantTables: ['experiments_run', 'experiments_decision'],
  migrations: [RUNS],
}
