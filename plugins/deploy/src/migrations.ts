import type { MigrationList } from '@amodal/sdk'
import { script, sql } from '@amodal/sdk/database'
import { db } from './tables.ts'

const TEXT_C = sql`text collate "C"`
const NOW = sql`clock_timestamp()`

/** Not under the tenant role: the files of an agent are the same for all tenants. */
export const MIGRATIONS: MigrationList = {
  plugin: 'deploy',
  tenantTables: [],
  migrations: [
    {
      name: 'snapshots',
      define: () => [
        db.schema
          .createTable('deploy_snapshot')
          .addColumn('tenant', TEXT_C, (column) => column.notNull())
          .addColumn('id', TEXT_C, (column) => column.notNull())
          .addColumn('agent', 'text', (column) => column.notNull())
          .addColumn('version', 'text', (column) => column.notNull())
          .addColumn('runtime', 'text', (column) => column.notNull())
          .addColumn('files', 'integer', (column) => column.notNull())
          .addColumn('size', 'bigint', (column) => column.notNull())
          .addColumn('archive', 'bytea', (column) => column.notNull())
          .addColumn('pushed_at', 'timestamptz', (column) => column.notNull().defaultTo(NOW))
          .addColumn('pushed_by', TEXT_C, (column) => column.notNull())
          .addPrimaryKeyConstraint('deploy_snapshot_pkey', ['tenant', 'id']),
        db.schema
          .createTable('deploy_pointer')
          .addColumn('tenant', TEXT_C, (column) => column.notNull())
          .addColumn('name', TEXT_C, (column) => column.notNull())
          .addColumn('snapshot', TEXT_C)
          .addColumn('canary', TEXT_C)
          .addColumn('percent', 'integer', (column) => column.notNull().defaultTo(0))
          .addColumn('version', 'integer', (column) => column.notNull().defaultTo(0))
          .addPrimaryKeyConstraint('deploy_pointer_pkey', ['tenant', 'name']),
        db.schema
          .createTable('deploy_event')
          .addColumn('tenant', TEXT_C, (column) => column.notNull())
          .addColumn('seq', 'bigint', (column) => column.generatedAlwaysAsIdentity())
          .addColumn('at', 'timestamptz', (column) => column.notNull().defaultTo(NOW))
          .addColumn('who', TEXT_C, (column) => column.notNull())
          .addColumn('what', TEXT_C, (column) => column.notNull())
          .addColumn('snapshot', TEXT_C)
          .addColumn('previous', TEXT_C)
          .addColumn('percent', 'integer')
          .addPrimaryKeyConstraint('deploy_event_pkey', ['tenant', 'seq']),
        script(
          "comment on column deploy_snapshot.tenant is 'empty: an agent has one set of files'",
        ),
        script("comment on column deploy_pointer.snapshot is 'null: the folder of each server'"),
      ],
    },
  ],
}
