import type { MigrationList } from '@amodal/sdk'

/** `tenant` has a default, so that a row always belongs to whoever writes it. */
export const MIGRATIONS: MigrationList = {
  plugin: 'stores-database',
  tenantTables: ['stores_database_document', 'stores_database_version', 'stores_database_call'],
  migrations: [{
    name: 'documents',
    sql: `
create table stores_database_document(
  tenant text not null default current_setting('amodal.tenant', true), store text not null, key text not null, version bigint not null,
  payload jsonb not null, computed_at timestamptz not null, expires_at timestamptz, primary key(tenant, store, key));
create table stores_database_version(
  tenant text not null default current_setting('amodal.tenant', true), store text not null, key text not null, version bigint not null,
  payload jsonb not null, computed_at timestamptz not null, primary key(tenant, store, key, version));
create table stores_database_call(
  tenant text not null default current_setting('amodal.tenant', true), call_key text not null, outcome jsonb not null, at timestamptz not null default now(),
  primary key(tenant, call_key));
create index stores_database_call_at on stores_database_call(tenant, at);`,
  }, {
    name: 'moments',
    // A text that is no moment is none, whatever the release thinks of it. What has no offset is UTC.
    sql: `
create function stores_database_moment(value text) returns timestamptz language plpgsql immutable strict parallel safe set timezone = 'UTC' as $$
begin
  return value::timestamptz;
exception when others then
  return null;
end $$;`,
  }],
}
