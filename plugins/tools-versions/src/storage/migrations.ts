import { script, sql } from '@amodal/sdk/database'
import type { Migration, MigrationList } from '@amodal/sdk'
import { db } from '../tables.ts'

const NOW = sql`clock_timestamp()`

const tenantTable = (name: string) =>
  db.schema
    .createTable(name)
    .addColumn('tenant', sql`text collate "C"`, (column) =>
      column.notNull().defaultTo(sql`current_setting('amodal.tenant', true)`),
    )

const TOOLS: Migration = {
  name: 'tools',
  define: () => [
    tenantTable('tools_versions_tool')
      .addColumn('id', 'text', (column) => column.notNull())
      .addColumn('name', 'text', (column) => column.notNull())
      .addColumn('description', 'text', (column) => column.notNull())
      .addColumn('tags', 'jsonb', (column) => column.notNull())
      .addColumn('deprecated', 'boolean', (column) => column.notNull().defaultTo(false))
      .addColumn('creator', 'text', (column) => column.notNull())
      .addColumn('created_at', 'timestamptz', (column) => column.notNull().defaultTo(NOW))
      .addColumn('updated_at', 'timestamptz', (column) => column.notNull().defaultTo(NOW))
      .addColumn('operation', 'text')
      .addColumn('operation_until', 'timestamptz')
      .addPrimaryKeyConstraint('tools_versions_tool_pkey', ['tenant', 'id'])
      .addUniqueConstraint('tools_versions_tool_name', ['tenant', 'name']),
    tenantTable('tools_versions_variable')
      .addColumn('tool', 'text', (column) => column.notNull())
      .addColumn('name', 'text', (column) => column.notNull())
      .addColumn('secret', 'boolean', (column) => column.notNull())
      .addColumn('value', 'text', (column) => column.notNull())
      .addColumn('updated_at', 'timestamptz', (column) => column.notNull().defaultTo(NOW))
      .addPrimaryKeyConstraint('tools_versions_variable_pkey', ['tenant', 'tool', 'name']),
    tenantTable('tools_versions_archive')
      .addColumn('hash', 'text', (column) => column.notNull())
      .addColumn('bytes', 'bytea', (column) => column.notNull())
      .addPrimaryKeyConstraint('tools_versions_archive_pkey', ['tenant', 'hash']),
    tenantTable('tools_versions_version')
      .addColumn('tool', 'text', (column) => column.notNull())
      .addColumn('major', 'integer', (column) => column.notNull())
      .addColumn('minor', 'integer', (column) => column.notNull())
      .addColumn('patch', 'integer', (column) => column.notNull())
      .addColumn('description', 'text', (column) => column.notNull())
      .addColumn('language', 'text', (column) => column.notNull())
      .addColumn('entry', 'text', (column) => column.notNull())
      .addColumn('repo', 'text', (column) => column.notNull())
      .addColumn('branch', 'text', (column) => column.notNull())
      .addColumn('revision', 'text', (column) => column.notNull())
      .addColumn('archive', 'text', (column) => column.notNull())
      .addColumn('input', 'jsonb', (column) => column.notNull())
      .addColumn('output', 'jsonb')
      .addColumn('variables', 'jsonb', (column) => column.notNull())
      .addColumn('lock_hash', 'text')
      .addColumn('creator', 'text', (column) => column.notNull())
      .addColumn('deprecated', 'boolean', (column) => column.notNull().defaultTo(false))
      .addColumn('deprecated_at', 'timestamptz')
      .addColumn('created_at', 'timestamptz', (column) => column.notNull().defaultTo(NOW))
      .addPrimaryKeyConstraint('tools_versions_version_pkey', [
        'tenant',
        'tool',
        'major',
        'minor',
        'patch',
      ]),
  ],
}

/**
 * The first lexeme of each row is its tenant: no word of a text has an `=`. An index of a column
 * such as `search` cannot begin with the tenant, and row security would keep it from being used.
 */
const SEARCHED = `
alter table tools_versions_invocation add column search tsvector not null generated always as (
  array_to_tsvector(array['=' || tenant]) ||
  to_tsvector('simple'::regconfig, coalesce(output, '') || ' ' || coalesce(error, '') || ' ' || coalesce(stack, ''))
) stored`
/** Without a list of pending rows, which a database without autovacuum would not work off. */
const SEARCH_INDEX = `
create index tools_versions_invocation_search on tools_versions_invocation using gin (search) with (fastupdate = off)`

const INVOCATIONS: Migration = {
  name: 'invocations',
  define: () => [
    tenantTable('tools_versions_invocation')
      .addColumn('id', 'text', (column) => column.notNull())
      .addColumn('tool', 'text', (column) => column.notNull())
      .addColumn('version', 'text')
      .addColumn('at', 'timestamptz', (column) => column.notNull().defaultTo(NOW))
      .addColumn('ms', 'integer')
      .addColumn('mode', 'text', (column) => column.notNull())
      .addColumn('source', 'text', (column) => column.notNull())
      .addColumn('principal', 'text', (column) => column.notNull())
      .addColumn('conversation', 'text')
      .addColumn('interaction', 'text')
      .addColumn('simulation_run', 'text')
      .addColumn('status', 'text', (column) => column.notNull().defaultTo('running'))
      .addColumn('input', 'text', (column) => column.notNull())
      .addColumn('output', 'text')
      .addColumn('error_code', 'text')
      .addColumn('error', 'text')
      .addColumn('stack', 'text')
      .addPrimaryKeyConstraint('tools_versions_invocation_pkey', ['tenant', 'id']),
    script(SEARCHED),
    script(SEARCH_INDEX),
    db.schema
      .createIndex('tools_versions_invocation_newest')
      .on('tools_versions_invocation')
      .columns(['tenant', 'at', 'id']),
    db.schema
      .createIndex('tools_versions_invocation_tool')
      .on('tools_versions_invocation')
      .columns(['tenant', 'tool', 'at', 'id']),
    db.schema
      .createIndex('tools_versions_invocation_conversation')
      .on('tools_versions_invocation')
      .columns(['tenant', 'conversation'])
      .where(sql<boolean>`conversation is not null`),
  ],
}

export const MIGRATIONS: MigrationList = {
  plugin: 'tools-versions',
  tenantTables: [
    'tools_versions_tool',
    'tools_versions_variable',
    'tools_versions_archive',
    'tools_versions_version',
    'tools_versions_invocation',
  ],
  migrations: [TOOLS, INVOCATIONS],
}
