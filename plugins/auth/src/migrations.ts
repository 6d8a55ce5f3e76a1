import { script, sql } from '@amodal/sdk/database'
import type { MigrationList } from '@amodal/sdk'
import { db } from './tables.ts'

/**
 * Not under the tenant role: a caller is authenticated before the tenant is known. A revoked key
 * stays: a deleted one could be created again, and a server whose last key is deleted must not
 * become open to everyone.
 */
export const MIGRATIONS: MigrationList = {
  plugin: 'auth',
  tenantTables: [],
  migrations: [
    {
      name: 'API keys',
      checksum: '479d4454f30f0954fc3f6a3fcb6247fed56252c0be6ad3cf6f79b5eff9b6d146',
      define: () => [
        db.schema
          .createTable('auth_key')
          .addColumn('tenant', sql`text collate "C"`, (column) => column.notNull())
          .addColumn('id', sql`text collate "C"`, (column) => column.notNull())
          .addColumn('digest', 'bytea', (column) => column.notNull())
          .addColumn('name', 'text', (column) => column.notNull())
          .addColumn('roles', sql`text[]`, (column) => column.notNull())
          .addColumn('scopes', sql`text[]`, (column) => column.notNull())
          .addColumn('created_at', 'timestamptz', (column) =>
            column.notNull().defaultTo(sql`clock_timestamp()`),
          )
          .addColumn('expires_at', 'timestamptz')
          .addColumn('revoked_at', 'timestamptz')
          .addPrimaryKeyConstraint('auth_key_pkey', ['tenant', 'id']),
        script(
          "comment on column auth_key.tenant is 'whose data the key is for; empty where a request says it'",
        ),
        script(
          "comment on column auth_key.digest is 'HMAC-SHA-256 of the secret, which is kept nowhere'",
        ),
      ],
    },
  ],
}
