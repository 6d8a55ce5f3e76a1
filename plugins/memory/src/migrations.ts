import { sql } from '@amodal/sdk/database'
import type { MigrationList } from '@amodal/sdk'
import { db } from './tables.ts'

export const MIGRATIONS: MigrationList = {
  plugin: 'memory',
  tenantTables: ['memory_note'],
  migrations: [
    {
      name: 'notes',
      checksum: 'c6132acd2c60af767582954f7d74abb61682bbd0dc1170dbd45797da78b8cf12',
      define: () => [
        db.schema
          .createTable('memory_note')
          .addColumn('tenant', 'text', (column) =>
            column.notNull().defaultTo(sql`current_setting('amodal.tenant', true)`),
          )
          .addColumn('owner', 'text', (column) => column.notNull())
          .addColumn('id', 'text', (column) => column.notNull())
          .addColumn('text', 'text', (column) => column.notNull())
          .addColumn('origin', 'jsonb', (column) => column.notNull())
          .addColumn('noted_by', 'text', (column) => column.notNull())
          .addColumn('at', 'timestamptz', (column) =>
            column.notNull().defaultTo(sql`clock_timestamp()`),
          )
          .addPrimaryKeyConstraint('memory_note_pkey', ['tenant', 'owner', 'id']),
      ],
    },
  ],
}
