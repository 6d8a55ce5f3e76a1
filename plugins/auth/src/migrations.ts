import type { MigrationList } from '@amodal/sdk'

/**
 * A key that was revoked stays: what is gone could be made again, and a server whose last key is
 * gone must not open to all.
 */
const KEYS = `
create table auth_key (
  tenant text collate "C" not null,
  id text collate "C" not null,
  digest bytea not null,
  name text not null,
  roles text[] not null,
  scopes text[] not null,
  created_at timestamptz not null default clock_timestamp(),
  expires_at timestamptz,
  revoked_at timestamptz,
  primary key (tenant, id)
);

comment on column auth_key.tenant is 'whose data the key is for; empty where a request says it';
comment on column auth_key.digest is 'HMAC-SHA-256 of the secret, which is kept nowhere';
`

/** Not under the tenant role: who asks is found out before it is known whose data that is about. */
export const MIGRATIONS: MigrationList = {
  plugin: 'auth',
  migrations: [{ name: 'API keys', sql: KEYS }],
  tenantTables: [],
}
