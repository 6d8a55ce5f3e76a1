import { script, sql } from '@amodal/sdk/database'
import type { Migration, MigrationList } from '@amodal/sdk'
import { db } from './tables.ts'

const ONLY_ADDED = `
create function audit_line_only_added() returns trigger language plpgsql as $$
begin
  raise exception 'lines of the audit log are only added';
end $$`

const ONLY_ADDED_OR_ERASED = `
create or replace function audit_line_only_added() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' and current_setting('amodal.audit_erasure', true) = 'on' and new.tenant = old.tenant and new.n = old.n and new.hash = old.hash
    and new.body = '' and new.session is null and new.key = 'erased:' || old.n then
    return new;
  end if;
  raise exception 'lines of the audit log are only added';
end $$`

const ONLY_MOVED = `
create function audit_head_only_moved() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' and new.tenant = old.tenant and new.n > old.n then
    return new;
  end if;
  raise exception 'the head of a chain of the audit log only moves on';
end $$`

const CHAIN: Migration = {
  name: 'chain',
  checksum: '01cfc9220baf21312d0834fc9382aa2276d733f169c32236c1aa7c10e60c61be',
  define: () => [
    db.schema
      .createTable('audit_head')
      .addColumn('tenant', 'text', (column) => column.primaryKey())
      .addColumn('n', 'bigint', (column) => column.notNull())
      .addColumn('hash', 'text', (column) => column.notNull()),
    db.schema
      .createTable('audit_line')
      .addColumn('tenant', 'text', (column) => column.notNull())
      .addColumn('n', 'bigint', (column) => column.notNull())
      .addColumn('key', 'text', (column) => column.notNull())
      .addColumn('session', 'text')
      .addColumn('body', 'text', (column) => column.notNull())
      .addColumn('hash', 'text', (column) => column.notNull())
      .addPrimaryKeyConstraint('audit_line_pkey', ['tenant', 'n'])
      .addUniqueConstraint('audit_line_tenant_key_key', ['tenant', 'key']),
    db.schema
      .createIndex('audit_line_session')
      .on('audit_line')
      .columns(['tenant', 'session', 'n'])
      .where(sql<boolean>`session is not null`),
    script(ONLY_ADDED),
    script(
      'create trigger audit_line_only_added before update or delete on audit_line for each row execute function audit_line_only_added()',
    ),
  ],
}

/**
 * A head only moves on, and no table is emptied at once. What an erasure may do is to take the text
 * of a line away: it says so for its own transaction, and who says so without being one can do no
 * more.
 */
const SEALED_HEADS: Migration = {
  name: 'sealed heads',
  checksum: 'd6f206e6bf0fe79fef1f5cbb290f1c0411d234dd44ff9d49db0fe63e53ac9775',
  define: () => [
    db.schema.alterTable('audit_head').addColumn('seal', 'text'),
    script("comment on column audit_head.seal is 'signature of whoever moved the head'"),
    script(ONLY_ADDED_OR_ERASED),
    script(
      'create trigger audit_line_never_truncated before truncate on audit_line for each statement execute function audit_line_only_added()',
    ),
    script(ONLY_MOVED),
    script(
      'create trigger audit_head_only_moved before update or delete on audit_head for each row execute function audit_head_only_moved()',
    ),
    script(
      'create trigger audit_head_never_truncated before truncate on audit_head for each statement execute function audit_head_only_moved()',
    ),
  ],
}

/**
 * A line with a session is found by it, and both are in one index entry. A line without one, or
 * whose content was erased, is found by its key.
 */
const ONE_INDEX: Migration = {
  name: 'one index for session and key',
  define: () => [
    db.schema.alterTable('audit_line').dropConstraint('audit_line_tenant_key_key'),
    db.schema.dropIndex('audit_line_session'),
    db.schema
      .createIndex('audit_line_session')
      .unique()
      .on('audit_line')
      .columns(['tenant', 'session', 'key'])
      .where(sql<boolean>`session is not null`),
    db.schema
      .createIndex('audit_line_key')
      .unique()
      .on('audit_line')
      .columns(['tenant', 'key'])
      .where(sql<boolean>`session is null`),
  ],
}

/**
 * Lines are only ever added: the database refuses anything else, and the chain shows if that was
 * circumvented.
 */
export const MIGRATIONS: MigrationList = {
  plugin: 'audit',
  tenantTables: [],
  migrations: [CHAIN, SEALED_HEADS, ONE_INDEX],
}
