import { sql } from '@amodal/sdk/database'
import type { Migration, MigrationList } from '@amodal/sdk'
import { db } from './tables.ts'

/** A table whose rows always belong to whoever writes them. */
const tenantTable = (name: string) =>
  db.schema
    .createTable(name)
    .addColumn('tenant', 'text', (column) =>
      column.notNull().defaultTo(sql`current_setting('amodal.tenant', true)`),
    )
    .addColumn('asset', 'text', (column) => column.notNull())

const FILES: Migration = {
  name: 'files',
  define: () => [
    tenantTable('assets_content')
      .addColumn('bytes', 'integer', (column) => column.notNull())
      .addColumn('created_at', 'timestamptz', (column) =>
        column.notNull().defaultTo(sql`clock_timestamp()`),
      )
      .addPrimaryKeyConstraint('assets_content_pkey', ['tenant', 'asset']),
    tenantTable('assets_chunk')
      .addColumn('n', 'integer', (column) => column.notNull())
      .addColumn('data', 'bytea', (column) => column.notNull())
      .addPrimaryKeyConstraint('assets_chunk_pkey', ['tenant', 'asset', 'n']),
    tenantTable('assets_claim')
      .addColumn('principal', 'text', (column) => column.notNull())
      .addColumn('media_type', 'text', (column) => column.notNull())
      .addColumn('name', 'text')
      .addColumn('used_at', 'timestamptz', (column) =>
        column.notNull().defaultTo(sql`clock_timestamp()`),
      )
      .addPrimaryKeyConstraint('assets_claim_pkey', ['tenant', 'asset', 'principal']),
    db.schema.createIndex('assets_claim_used').on('assets_claim').columns(['tenant', 'used_at']),
    tenantTable('assets_hold')
      .addColumn('session', 'text', (column) => column.notNull())
      .addColumn('principal', 'text', (column) => column.notNull())
      .addColumn('seen_at', 'timestamptz', (column) =>
        column.notNull().defaultTo(sql`clock_timestamp()`),
      )
      .addPrimaryKeyConstraint('assets_hold_pkey', ['tenant', 'asset', 'session']),
    db.schema.createIndex('assets_hold_session').on('assets_hold').columns(['tenant', 'session']),
    db.schema.createIndex('assets_hold_seen').on('assets_hold').columns(['tenant', 'seen_at']),
  ],
}

const BYTES_OUTSIDE: Migration = {
  name: 'bytes-outside',
  define: () => [
    db.schema
      .alterTable('assets_content')
      .addColumn('outside', 'boolean', (column) => column.notNull().defaultTo(false)),
    tenantTable('assets_removal')
      .addColumn('due_at', 'timestamptz', (column) => column.notNull())
      .addPrimaryKeyConstraint('assets_removal_pkey', ['tenant', 'asset']),
    db.schema.createIndex('assets_removal_due').on('assets_removal').column('due_at'),
  ],
}

export const MIGRATIONS: MigrationList = {
  plugin: 'assets',
  tenantTables: ['assets_content', 'assets_chunk', 'assets_claim', 'assets_hold', 'assets_removal'],
  migrations: [FILES, BYTES_OUTSIDE],
}
