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

const RUNS: Migration = {
  name: 'runs and results',
  define: () => [
    tenantTable('evals_run')
      .addColumn('id', TEXT_C, (column) => column.notNull())
      .addColumn('principal', 'text', (column) => column.notNull())
      .addColumn('header', 'text', (column) => column.notNull())
      .addColumn('status', 'text', (column) => column.notNull())
      .addColumn('error', 'text')
      .addColumn('ended_at', 'timestamptz')
      .addPrimaryKeyConstraint('evals_run_pkey', ['tenant', 'id']),
    tenantTable('evals_result')
      .addColumn('run', TEXT_C, (column) => column.notNull())
      .addColumn('place', 'integer', (column) => column.notNull())
      .addColumn('facts', 'text', (column) => column.notNull())
      .addColumn('detail', 'text', (column) => column.notNull())
      .addPrimaryKeyConstraint('evals_result_pkey', ['tenant', 'run', 'place']),
    tenantTable('evals_judgement')
      .addColumn('key', TEXT_C, (column) => column.notNull())
      .addColumn('principal', 'text', (column) => column.notNull())
      .addColumn('reply', 'text', (column) => column.notNull())
      .addPrimaryKeyConstraint('evals_judgement_pkey', ['tenant', 'key']),
    tenantTable('evals_trial')
      .addColumn('trial', TEXT_C, (column) => column.notNull())
      .addPrimaryKeyConstraint('evals_trial_pkey', ['tenant', 'trial']),
  ],
}

export const MIGRATIONS: MigrationList = {
  plugin: 'evals',
  tenantTables: ['evals_run', 'evals_result', 'evals_judgement', 'evals_trial'],
  migrations: [RUNS],
}
