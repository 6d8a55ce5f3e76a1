import type { MigrationList } from '@amodal/sdk'

/**
 * A head only moves on, and no table is emptied at once. What an erasure may do is to take the text
 * of a line away: it says so for its own transaction, and who says so without being one can do no
 * more.
 */
const SEALED_HEADS = `
alter table audit_head add column seal text;
comment on column audit_head.seal is 'signature of whoever moved the head';
create or replace function audit_line_only_added() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' and current_setting('amodal.audit_erasure', true) = 'on' and new.tenant = old.tenant and new.n = old.n and new.hash = old.hash
    and new.body = '' and new.session is null and new.key = 'erased:' || old.n then
    return new;
  end if;
  raise exception 'lines of the audit log are only added';
end $$;
create trigger audit_line_never_truncated before truncate on audit_line for each statement execute function audit_line_only_added();
create function audit_head_only_moved() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' and new.tenant = old.tenant and new.n > old.n then
    return new;
  end if;
  raise exception 'the head of a chain of the audit log only moves on';
end $$;
create trigger audit_head_only_moved before update or delete on audit_head for each row execute function audit_head_only_moved();
create trigger audit_head_never_truncated before truncate on audit_head for each statement execute function audit_head_only_moved();
`

/**
 * Lines are only ever added: the database itself refuses anything else, and the chain shows who got
 * round that.
 */
export const MIGRATIONS: MigrationList = {
  plugin: 'audit',
  tenantTables: [],
  migrations: [
    {
      name: 'chain',
      sql: `
create table audit_head(tenant text primary key, n bigint not null, hash text not null);
create table audit_line(
  tenant text not null, n bigint not null, key text not null, session text, body text not null, hash text not null,
  primary key(tenant, n), unique(tenant, key));
create index audit_line_session on audit_line(tenant, session, n) where session is not null;
create function audit_line_only_added() returns trigger language plpgsql as $$
begin
  raise exception 'lines of the audit log are only added';
end $$;
create trigger audit_line_only_added before update or delete on audit_line for each row execute function audit_line_only_added();`,
    },
    {
      name: 'sealed heads',
      sql: SEALED_HEADS,
    },
  ],
}
