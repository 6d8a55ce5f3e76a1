import { sql } from '@amodal/sdk/database'
import type { Migration, MigrationList } from '@amodal/sdk'
import { db } from './tables.ts'

const TEXT_C = sql`text collate "C"`

const ENTRIES: Migration = {
  name: 'entries',
  define: () => [
    db.schema
      .createTable('feedback_entry')
      .addColumn('tenant', TEXT_C, (column) =>
        column.notNull().defaultTo(sql`current_setting('amodal.tenant', true)`),
      )
      .addColumn('session', TEXT_C, (column) => column.notNull())
      .addColumn('run', TEXT_C, (column) => column.notNull())
      .addColumn('principal', TEXT_C, (column) => column.notNull())
      .addColumn('id', TEXT_C, (column) => column.notNull())
      .addColumn('at', 'bigint', (column) => column.notNull())
      .addColumn('rating', TEXT_C, (column) => column.notNull())
      .addColumn('categories', sql`text[]`, (column) => column.notNull())
      .addColumn('comment', 'text', (column) => column.notNull())
      .addColumn('tags', sql`text[]`, (column) => column.notNull())
      .addColumn('seq', 'bigint', (column) => column.notNull())
      .addColumn('answered_at', 'bigint', (column) => column.notNull())
      .addColumn('question', 'text', (column) => column.notNull())
      .addColumn('answer', 'text', (column) => column.notNull())
      .addColumn('model', 'text', (column) => column.notNull())
      .addColumn('provider', 'text', (column) => column.notNull())
      .addColumn('input_tokens', 'bigint', (column) => column.notNull())
      .addColumn('output_tokens', 'bigint', (column) => column.notNull())
      .addColumn('cost', 'bigint')
      .addPrimaryKeyConstraint('feedback_entry_pkey', ['tenant', 'session', 'run', 'principal']),
    db.schema
      .createIndex('feedback_entry_newest')
      .on('feedback_entry')
      .columns(['tenant', 'at', 'id']),
  ],
}

export const MIGRATIONS: MigrationList = {
  plugin: 'feedback',
  tenantTables: ['feedback_entry'],
  migrations: [ENTRIES],
}
