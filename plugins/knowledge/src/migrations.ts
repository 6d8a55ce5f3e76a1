import { sql } from '@amodal/sdk/database'
import type { MigrationList } from '@amodal/sdk'
import { db } from './tables.ts'

export const MIGRATIONS: MigrationList = {
  plugin: 'knowledge',
  tenantTables: ['knowledge_document'],
  migrations: [
    {
      name: 'documents',
      checksum: '828c67a405aa88d2ebb4bb733bcbc4a299b048885d5a96ab2618501e978b396b',
      define: () => [
        db.schema
          .createTable('knowledge_document')
          .addColumn('tenant', 'text', (column) =>
            column.notNull().defaultTo(sql`current_setting('amodal.tenant', true)`),
          )
          .addColumn('name', 'text', (column) => column.notNull())
          .addColumn('title', 'text', (column) => column.notNull())
          .addColumn('body', 'text', (column) => column.notNull())
          .addColumn('category', 'text')
          .addColumn('approved_in', 'text', (column) => column.notNull())
          .addColumn('at', 'timestamptz', (column) =>
            column.notNull().defaultTo(sql`clock_timestamp()`),
          )
          .addPrimaryKeyConstraint('knowledge_document_pkey', ['tenant', 'name']),
      ],
    },
  ],
}
