import type { Migration, MigrationList } from '@amodal/sdk'
import { script, sql, type RawBuilder } from '@amodal/sdk/database'
import { db } from './tables.ts'

const TEXT_C = sql`text collate "C"`

const jobs = () =>
  db.schema
    .createTable('queue_database_job')
    .addColumn('tenant', TEXT_C, (column) => column.notNull())
    .addColumn('queue', TEXT_C, (column) => column.notNull())
    .addColumn('id', TEXT_C, (column) => column.notNull())
    .addColumn('n', 'bigint', (column) => column.generatedAlwaysAsIdentity())
    .addColumn('key', TEXT_C)
    .addColumn('grp', TEXT_C)
    .addColumn('head', 'boolean', (column) => column.notNull())
    .addColumn('principal', 'text')
    .addColumn('state', TEXT_C, (column) => column.notNull())
    .addColumn('priority', 'integer', (column) => column.notNull())
    .addColumn('due', 'bigint', (column) => column.notNull())
    .addColumn('deadline', 'bigint')
    .addColumn('attempt_ms', 'bigint')
    .addColumn('data', 'text', (column) => column.notNull())
    .addColumn('retries', 'text', (column) => column.notNull())
    .addColumn('attempts', 'integer', (column) => column.notNull().defaultTo(0))
    .addColumn('lost', 'integer', (column) => column.notNull().defaultTo(0))
    .addColumn('fence', 'bigint', (column) => column.notNull().defaultTo(0))
    .addColumn('owner', TEXT_C)
    .addColumn('cancelling', 'boolean', (column) => column.notNull().defaultTo(false))
    .addColumn('reason', 'text')
    .addColumn('published_at', 'bigint', (column) => column.notNull())
    .addColumn('ended_at', 'bigint')
    .addPrimaryKeyConstraint('queue_database_job_pkey', ['id'])
    .modifyEnd(sql`with (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.05)`)

const index = (name: string, columns: readonly string[], where: RawBuilder<boolean>) =>
  db.schema
    .createIndex(`queue_database_job_${name}`)
    .on('queue_database_job')
    .columns([...columns])
    .where(where)

/**
 * Jobs are claimed across tenants, so the indexes for that begin with the queue. Each is partial: a
 * job stands in those of its state alone.
 */
const JOBS: Migration = {
  name: 'jobs and workers',
  define: () => [
    jobs(),
    script("comment on column queue_database_job.due is 'ms since the epoch'"),
    script("comment on column queue_database_job.grp is 'jobs of a group run one at a time'"),
    script("comment on column queue_database_job.head is 'no job of its group is before it'"),
    script("comment on column queue_database_job.fence is 'claims so far'"),
    index('key', ['tenant', 'queue', 'key'], sql<boolean>`key is not null`).unique(),
    db.schema
      .createIndex('queue_database_job_ready')
      .on('queue_database_job')
      .expression(sql`queue, priority desc, n`)
      .where(sql<boolean>`state = 'waiting' and head`),
    index('delayed', ['queue', 'due'], sql<boolean>`state = 'delayed'`),
    index('active', ['owner'], sql<boolean>`state = 'active'`),
    index('dead', ['queue', 'ended_at', 'n'], sql<boolean>`state = 'dead'`),
    index('ended', ['ended_at'], sql<boolean>`ended_at is not null`),
    index(
      'group',
      ['tenant', 'queue', 'grp', 'n'],
      sql<boolean>`grp is not null and state in ('waiting', 'delayed', 'active')`,
    ),
    // However two processes cross, one job of a group may begin at most.
    index(
      'head',
      ['tenant', 'queue', 'grp'],
      sql<boolean>`grp is not null and head and state in ('waiting', 'delayed', 'active')`,
    ).unique(),
    db.schema
      .createTable('queue_database_worker')
      .addColumn('id', TEXT_C, (column) => column.primaryKey())
      .addColumn('alive_until', 'timestamptz', (column) => column.notNull()),
  ],
}

/** Which tenants and lanes have jobs that may begin is read from this index, one step for each. */
const LANES: Migration = {
  name: 'lanes',
  define: () => [
    db.schema
      .alterTable('queue_database_job')
      .addColumn('lane', TEXT_C, (column) => column.notNull().defaultTo('')),
    script("comment on column queue_database_job.lane is 'what shares a tenant''s turns'"),
    db.schema.dropIndex('queue_database_job_ready'),
    db.schema
      .createIndex('queue_database_job_ready')
      .on('queue_database_job')
      .expression(sql`queue, tenant, lane, priority desc, n`)
      .where(sql<boolean>`state = 'waiting' and head`),
  ],
}

/** Not under the tenant role: plugins reach jobs through the JobQueue slot, never by SQL. */
export const MIGRATIONS: MigrationList = {
  plugin: 'queue-database',
  migrations: [JOBS, LANES],
  tenantTables: [],
}
