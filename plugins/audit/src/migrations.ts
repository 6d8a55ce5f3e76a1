import type { MigrationList } from '@amodal/sdk'

/** Lines are only ever added: the database itself refuses anything else, and the chain shows who got round that. */
export const MIGRATIONS: MigrationList = {
  plugin: 'audit',
  tenantTables: [],
  migrations: [{
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
  }],
}
