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

const RUNS: Migration = {
  name: 'runs',
  define: () => [
    tenantTable('agent_runs_run')
      .addColumn('session', 'text', (column) => column.notNull())
      .addColumn('principal', 'text', (column) => column.notNull())
      .addColumn('roles', sql`text[]`, (column) => column.notNull())
      .addColumn('idem', 'text', (column) => column.notNull())
      .addColumn('request_hash', 'text', (column) => column.notNull())
      .addColumn('profile', 'text', (column) => column.notNull())
      .addColumn('task', 'text', (column) => column.notNull())
      .addColumn('params', 'jsonb')
      .addColumn('limits', 'jsonb', (column) => column.notNull())
      .addColumn('webhook', 'text')
      .addColumn('created_at', 'timestamptz', (column) =>
        column.notNull().defaultTo(sql`clock_timestamp()`),
      )
      .addColumn('published', 'boolean', (column) => column.notNull())
      .addColumn('started_at', 'timestamptz')
      .addColumn('attempt', 'integer', (column) => column.notNull().defaultTo(0))
      .addColumn('retry_at', 'timestamptz')
      .addColumn('canceled_at', 'timestamptz')
      .addColumn('cancel_reason', 'text')
      .addColumn('ended_at', 'timestamptz')
      .addColumn('status', 'text')
      .addColumn('notified', 'boolean', (column) => column.notNull().defaultTo(false))
      .addPrimaryKeyConstraint('agent_runs_run_pkey', ['tenant', 'session'])
      .addUniqueConstraint('agent_runs_run_idem', ['tenant', 'principal', 'idem']),
    db.schema
      .createIndex('agent_runs_run_created')
      .on('agent_runs_run')
      .columns(['tenant', 'created_at']),
    db.schema
      .createIndex('agent_runs_run_open')
      .on('agent_runs_run')
      .columns(['tenant', 'created_at'])
      .where(sql<boolean>`not published or (ended_at is not null and not notified)`),
  ],
}

const ARTIFACTS: Migration = {
  name: 'artifacts',
  define: () => [
    tenantTable('agent_runs_artifact')
      .addColumn('id', 'text', (column) => column.notNull())
      .addColumn('version', 'integer', (column) => column.notNull())
      .addColumn('session', 'text', (column) => column.notNull())
      .addColumn('principal', 'text', (column) => column.notNull())
      .addColumn('call_key', 'text', (column) => column.notNull())
      .addColumn('type', 'text', (column) => column.notNull())
      .addColumn('title', 'text', (column) => column.notNull())
      .addColumn('tags', sql`text[]`, (column) => column.notNull())
      .addColumn('citations', 'jsonb', (column) => column.notNull())
      .addColumn('hash', 'text', (column) => column.notNull())
      .addColumn('created_at', 'timestamptz', (column) =>
        column.notNull().defaultTo(sql`clock_timestamp()`),
      )
      .addPrimaryKeyConstraint('agent_runs_artifact_pkey', ['tenant', 'id', 'version'])
      .addUniqueConstraint('agent_runs_artifact_call', ['tenant', 'call_key']),
    db.schema
      .createIndex('agent_runs_artifact_session')
      .on('agent_runs_artifact')
      .columns(['tenant', 'session', 'created_at']),
    tenantTable('agent_runs_content')
      .addColumn('hash', 'text', (column) => column.notNull())
      .addColumn('bytes', 'integer', (column) => column.notNull())
      .addColumn('markdown', 'text')
      .addColumn('json', 'jsonb')
      .addPrimaryKeyConstraint('agent_runs_content_pkey', ['tenant', 'hash']),
  ],
}

const LINKS: Migration = {
  name: 'links to artifacts in webhooks',
  define: () => [
    db.schema
      .alterTable('agent_runs_run')
      .addColumn('webhook_link', 'boolean', (column) => column.notNull().defaultTo(false)),
  ],
}

/**
 * Both under a condition that a look-up by `(tenant, session)` does not imply. Without statistics
 * the planner holds any index that leads with `tenant` to be as good as the key, and then reads all
 * runs of a tenant to find one.
 */
const LOOK_UPS: Migration = {
  name: 'indexes that are not taken for the key',
  define: () => [
    db.schema.dropIndex('agent_runs_run_created'),
    db.schema
      .createIndex('agent_runs_run_newest')
      .on('agent_runs_run')
      .columns(['tenant', 'created_at', 'session'])
      .where(sql<boolean>`created_at > '-infinity'`),
    db.schema.alterTable('agent_runs_run').dropConstraint('agent_runs_run_idem'),
    db.schema
      .createIndex('agent_runs_run_key')
      .unique()
      .on('agent_runs_run')
      .columns(['tenant', 'principal', 'idem'])
      .where(sql<boolean>`idem <> ''`),
  ],
}

export const MIGRATIONS: MigrationList = {
  plugin: 'agent-runs',
  tenantTables: ['agent_runs_run', 'agent_runs_artifact', 'agent_runs_content'],
  migrations: [RUNS, ARTIFACTS, LINKS, LOOK_UPS],
}
