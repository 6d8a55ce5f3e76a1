import type { MigrationList } from '@amodal/sdk'

/** `owner` is a principal, or empty where the notes are the whole tenant's. */
export const MIGRATIONS: MigrationList = {
  plugin: 'memory',
  tenantTables: ['memory_note'],
  migrations: [
    {
      name: 'notes',
      sql: `
create table memory_note(
  tenant text not null default current_setting('amodal.tenant', true), owner text not null, id text not null,
  text text not null, origin jsonb not null, noted_by text not null, at timestamptz not null default clock_timestamp(),
  primary key(tenant, owner, id));`,
    },
  ],
}
