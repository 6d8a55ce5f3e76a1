import { script, sql } from '@amodal/sdk/database'
import type { Migration, MigrationList } from '@amodal/sdk'
import { db } from './tables.ts'

/** A table whose rows always belong to whoever writes them. */
const tenantTable = (name: string) =>
  db.schema
    .createTable(name)
    .addColumn('tenant', 'text', (column) =>
      column.notNull().defaultTo(sql`current_setting('amodal.tenant', true)`),
    )

const DOCUMENTS: Migration = {
  name: 'documents',
  checksum: 'b9dc6bd4fcefe1be2a8ca90e58b5d2dda97a951f7bbcc09121955e9383bab671',
  define: () => [
    tenantTable('stores_database_document')
      .addColumn('store', 'text', (column) => column.notNull())
      .addColumn('key', 'text', (column) => column.notNull())
      .addColumn('version', 'bigint', (column) => column.notNull())
      .addColumn('payload', 'jsonb', (column) => column.notNull())
      .addColumn('computed_at', 'timestamptz', (column) => column.notNull())
      .addColumn('expires_at', 'timestamptz')
      .addPrimaryKeyConstraint('stores_database_document_pkey', ['tenant', 'store', 'key']),
    tenantTable('stores_database_version')
      .addColumn('store', 'text', (column) => column.notNull())
      .addColumn('key', 'text', (column) => column.notNull())
      .addColumn('version', 'bigint', (column) => column.notNull())
      .addColumn('payload', 'jsonb', (column) => column.notNull())
      .addColumn('computed_at', 'timestamptz', (column) => column.notNull())
      .addPrimaryKeyConstraint('stores_database_version_pkey', [
        'tenant',
        'store',
        'key',
        'version',
      ]),
    tenantTable('stores_database_call')
      .addColumn('call_key', 'text', (column) => column.notNull())
      .addColumn('outcome', 'jsonb', (column) => column.notNull())
      .addColumn('at', 'timestamptz', (column) => column.notNull().defaultTo(sql`now()`))
      .addPrimaryKeyConstraint('stores_database_call_pkey', ['tenant', 'call_key']),
    db.schema
      .createIndex('stores_database_call_at')
      .on('stores_database_call')
      .columns(['tenant', 'at']),
  ],
}

/**
 * A text that is no moment is none, whatever the release thinks of it. What has no offset is UTC.
 */
const MOMENT = `
create function stores_database_moment(value text) returns timestamptz language plpgsql immutable strict parallel safe set timezone = 'UTC' as $$
begin
  return value::timestamptz;
exception when others then
  return null;
end $$`

const MOMENTS: Migration = {
  name: 'moments',
  checksum: '29ec8d6396e22e66d3ab4f1d3becc987f8a455ecd1831123d19afec4a66e3522',
  define: () => [script(MOMENT)],
}

const VALUES_OF = `
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
$$`

const FILL = `
insert into stores_database_value(tenant, store, key, field, text, number, flag, moment)
select d.tenant, d.store, d.key, v.* from stores_database_document d cross join lateral stores_database_values(d.payload) v`

/** An index of the values of one type. */
const valueIndex = (column: string) =>
  db.schema
    .createIndex(`stores_database_value_${column}`)
    .on('stores_database_value')
    .columns(['tenant', 'store', 'field', column, 'key'])
    .where(sql<boolean>`${sql.ref(column)} is not null`)

/**
 * The value of every field of every document, once by its type: one index for all stores, whatever
 * fields they have and whenever those change. A column of the document would not do: row security
 * lets an index be searched only by what cannot leak, which plain columns are and functions of
 * `payload` are not. Each index is partial, so that a look-up by key cannot choose it: without
 * statistics the planner holds any that leads with `tenant` to be as good as the key.
 */
const VALUES: Migration = {
  name: 'values of fields',
  checksum: '372a2f4fabe69afa4878746e684dd5f11f79a32e2779ce5b0f9e44758f29a58f',
  define: () => [
    tenantTable('stores_database_value')
      .addColumn('store', 'text', (column) => column.notNull())
      .addColumn('key', 'text', (column) => column.notNull())
      .addColumn('field', sql`text collate "C"`, (column) => column.notNull())
      .addColumn('text', sql`text collate "C"`)
      .addColumn('number', 'float8')
      .addColumn('flag', 'boolean')
      .addColumn('moment', 'timestamptz')
      .addPrimaryKeyConstraint('stores_database_value_pkey', ['tenant', 'store', 'key', 'field'])
      .modifyEnd(
        sql`with (autovacuum_vacuum_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.05)`,
      ),
    script(
      "comment on column stores_database_value.field is 'names that lead to the value, with U+001F between them'",
    ),
    script("comment on column stores_database_value.text is 'its first 256 characters'"),
    ...['text', 'number', 'flag', 'moment'].map(valueIndex),
    script(VALUES_OF),
    script(FILL),
  ],
}

const TRACES: Migration = {
  name: 'traces and expiry',
  checksum: 'f41b7ec6c6c10ee325fbea48172fec45625335adbc8161f61bd873f2ed41abd1',
  define: () => [
    db.schema.alterTable('stores_database_document').addColumn('trace', 'jsonb'),
    db.schema.alterTable('stores_database_version').addColumn('trace', 'jsonb'),
    db.schema
      .createIndex('stores_database_document_expires')
      .on('stores_database_document')
      .columns(['tenant', 'expires_at'])
      .where(sql<boolean>`expires_at is not null`),
  ],
}

const ASKED: Migration = {
  name: 'what was asked under a key',
  checksum: 'af37138e1e27c52d76724960f189e30f0830ef587a51164deb278a734b621f9f',
  define: () => [db.schema.alterTable('stores_database_call').addColumn('asked', 'text')],
}

export const MIGRATIONS: MigrationList = {
  plugin: 'stores-database',
  tenantTables: [
    'stores_database_document',
    'stores_database_version',
    'stores_database_call',
    'stores_database_value',
  ],
  migrations: [DOCUMENTS, MOMENTS, VALUES, TRACES, ASKED],
}
