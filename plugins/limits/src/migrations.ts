import type { MigrationList } from '@amodal/sdk'

/**
 * How often something was asked for in a window of time. Unlogged: after a crash of the database
 * counting begins anew, and nobody waits for a disk.
 */
const WINDOWS = `
create unlogged table limits_window (
  key varchar(255) collate "C" primary key,
  points integer not null default 0,
  expire bigint
);

comment on column limits_window.key is 'what is counted, and a hash of whose it is';
comment on column limits_window.expire is 'ms since the epoch';
`

/** What was taken of budgets, and what is set aside for calls that are being made. */
const BUDGETS = `
create table limits_budget (
  key varchar(64) collate "C" primary key,
  tokens bigint not null,
  cost bigint not null,
  held_tokens bigint not null,
  held_cost bigint not null,
  ends bigint not null
);
create table limits_hold (
  id varchar(64) collate "C" not null,
  key varchar(64) collate "C" not null,
  tokens bigint not null,
  cost bigint not null,
  until timestamptz not null,
  primary key (id, key)
);

comment on column limits_budget.key is 'a hash of whose budget it is, and of when it began';
comment on column limits_budget.cost is 'billionths of a dollar';
comment on column limits_budget.ends is 'ms since the epoch';
comment on column limits_hold.until is 'given back then, unless whoever has it says otherwise';
`

/** Counts, and no data of a tenant. */
export const MIGRATIONS: MigrationList = {
  plugin: 'limits',
  migrations: [
    { name: 'windows of time', sql: WINDOWS },
    { name: 'budgets', sql: BUDGETS },
  ],
  tenantTables: [],
}
