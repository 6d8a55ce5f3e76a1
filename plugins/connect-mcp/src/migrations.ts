import type { MigrationList } from '@amodal/sdk'
import { script, sql } from '@amodal/sdk/database'
import { db } from './tables.ts'

/** Not under the tenant role: a connection is the agent's, whoever calls it. */
export const MIGRATIONS: MigrationList = {
  plugin: 'connect-mcp',
  tenantTables: [],
  migrations: [
    {
      name: 'sealed credentials of connections',
      define: () => [
        db.schema
          .createTable('connect_mcp_secret')
          .addColumn('tenant', sql`text collate "C"`, (column) => column.notNull())
          .addColumn('name', sql`text collate "C"`, (column) => column.notNull())
          .addColumn('version', 'integer', (column) => column.notNull().defaultTo(1))
          .addColumn('sealed', 'text', (column) => column.notNull())
          .addColumn('held_until', 'timestamptz')
          .addColumn('expires_at', 'timestamptz')
          .addPrimaryKeyConstraint('connect_mcp_secret_pkey', ['tenant', 'name']),
        script(
          "comment on column connect_mcp_secret.tenant is 'empty: a connection is the agent''s'",
        ),
        script(
          "comment on column connect_mcp_secret.sealed is 'AES-256-GCM under the master key: tokens, clients, logins that have begun'",
        ),
      ],
    },
  ],
}
