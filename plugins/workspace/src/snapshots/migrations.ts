import type { MigrationList } from '@amodal/sdk'
import { script, sql } from '@amodal/sdk/database'
import { db } from '../tables.ts'

const NOW = sql`clock_timestamp()`

const tenantTable = (name: string) =>
  db.schema
    .createTable(name)
    .addColumn('tenant', sql`text collate "C"`, (column) =>
      column.notNull().defaultTo(sql`current_setting('amodal.tenant', true)`),
    )

export const MIGRATIONS: MigrationList = {
  plugin: 'workspace',
  tenantTables: ['workspace_blob', 'workspace_snapshot'],
  migrations: [
    {
      name: 'snapshots',
      define: () => [
        tenantTable('workspace_blob')
          .addColumn('hash', 'text', (column) => column.notNull())
          .addColumn('bytes', 'bytea', (column) => column.notNull())
          .addColumn('used_at', 'timestamptz', (column) => column.notNull().defaultTo(NOW))
          .addPrimaryKeyConstraint('workspace_blob_pkey', ['tenant', 'hash']),
        tenantTable('workspace_snapshot')
          .addColumn('id', 'text', (column) => column.notNull())
          .addColumn('seq', 'bigint', (column) => column.generatedAlwaysAsIdentity())
          .addColumn('session', 'text', (column) => column.notNull())
          .addColumn('principal', 'text', (column) => column.notNull())
          .addColumn('run', 'text')
          .addColumn('parent', 'text')
          .addColumn('manifest', 'jsonb', (column) => column.notNull())
          .addColumn('hashes', sql`text[]`, (column) => column.notNull())
          .addColumn('files', 'integer', (column) => column.notNull())
          .addColumn('bytes', 'bigint', (column) => column.notNull())
          .addColumn('created_at', 'timestamptz', (column) => column.notNull().defaultTo(NOW))
          .addPrimaryKeyConstraint('workspace_snapshot_pkey', ['tenant', 'id']),
        script(
          'create index workspace_snapshot_session on workspace_snapshot (tenant, session, seq)',
        ),
        script('create index workspace_snapshot_hashes on workspace_snapshot using gin (hashes)'),
      ],
    },
  ],
}
