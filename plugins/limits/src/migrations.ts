import type { MigrationList } from '@amodal/sdk'

/** How often something was asked for in a window of time. Unlogged: after a crash of the database counting begins anew, and nobody waits for a disk. */
const WINDOWS = `
create unlogged table limits_window (
  key varchar(255) collate "C" primary key,
  points integer not null default 0,
  expire bigint
);

comment on column limits_window.key is 'what is counted, and a hash of whose it is';
comment on column limits_window.expire is 'ms since the epoch';
`

/** Counts, and no data of a tenant. */
export const MIGRATIONS: MigrationList = {
  plugin: 'limits',
  migrations: [{ name: 'windows of time', sql: WINDOWS }],
  tenantTables: [],
}
