import type { MigrationList } from '@amodal/sdk'

/**
 * The value of every field of every document, once by its type: one index for all stores, whatever
 * fields they have and whenever those change. A column of the document would not do: row security
 * lets an index be searched only by what cannot leak, which plain columns are and functions of
 * `payload` are not. Each index is partial, so that a look-up by key cannot choose it: without
 * statistics the planner holds any that leads with `tenant` to be as good as the key.
 */
const VALUES = `
create table stores_database_value(
  tenant text not null default current_setting('amodal.tenant', true), store text not null, key text not null, field text collate "C" not null,
  text text collate "C", number float8, flag boolean, moment timestamptz, primary key(tenant, store, key, field))
  with (autovacuum_vacuum_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.05);
comment on column stores_database_value.field is 'names that lead to the value, with U+001F between them';
comment on column stores_database_value.text is 'its first 256 characters';
create index stores_database_value_text on stores_database_value(tenant, store, field, text, key) where text is not null;
create index stores_database_value_number on stores_database_value(tenant, store, field, number, key) where number is not null;
create index stores_database_value_flag on stores_database_value(tenant, store, field, flag, key) where flag is not null;
create index stores_database_value_moment on stores_database_value(tenant, store, field, moment, key) where moment is not null;

create function stores_database_values(payload jsonb)
returns table(field text, "text" text, number float8, flag boolean, moment timestamptz) language sql immutable parallel safe as $$
  with recursive leaf(field, value) as (
    select key, value from jsonb_each(payload)
    union all
    select leaf.field || chr(31) || inside.key, inside.value
    from leaf cross join lateral jsonb_each(case jsonb_typeof(leaf.value) when 'object' then leaf.value else '{}' end) inside)
  select leaf.field,
    case jsonb_typeof(value) when 'string' then left(value #>> '{}', 256) end,
    case jsonb_typeof(value) when 'number' then (value #>> '{}')::float8 end,
    case jsonb_typeof(value) when 'boolean' then (value #>> '{}')::boolean end,
    case when jsonb_typeof(value) = 'string' and value #>> '{}' ~ '^[0-9]{4}-[0-9]{2}-[0-9]{2}($|[T ])' then stores_database_moment(value #>> '{}') end
  from leaf where jsonb_typeof(value) in ('string', 'number', 'boolean')
$$;

insert into stores_database_value(tenant, store, key, field, text, number, flag, moment)
select d.tenant, d.store, d.key, v.* from stores_database_document d cross join lateral stores_database_values(d.payload) v;`

/** `tenant` has a default, so that a row always belongs to whoever writes it. */
export const MIGRATIONS: MigrationList = {
  plugin: 'stores-database',
  tenantTables: [
    'stores_database_document',
    'stores_database_version',
    'stores_database_call',
    'stores_database_value',
  ],
  migrations: [
    {
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
    },
    {
      name: 'moments',
      // A text that is no moment is none, whatever the release thinks of it. What has no offset is
      // UTC.
      sql: `
create function stores_database_moment(value text) returns timestamptz language plpgsql immutable strict parallel safe set timezone = 'UTC' as $$
begin
  return value::timestamptz;
exception when others then
  return null;
end $$;`,
    },
    {
      name: 'values of fields',
      sql: VALUES,
    },
    {
      name: 'traces and expiry',
      sql: `
alter table stores_database_document add column trace jsonb;
alter table stores_database_version add column trace jsonb;
create index stores_database_document_expires on stores_database_document(tenant, expires_at) where expires_at is not null;`,
    },
    {
      name: 'what was asked under a key',
      sql: `alter table stores_database_call add column asked text;`,
    },
  ],
}
