import type { MigrationList } from '@amodal/sdk'

/**
 * Two things the schema is careful about:
 * - Ids compare byte by byte (`collate "C"`): cheaper than a locale's rules, and one order on every
 *   database.
 * - Every further index is partial, under a condition that a look-up by `(tenant, session)` does
 *   not imply. Without statistics the planner holds any index that leads with `tenant` to be as
 *   good as the key, and then reads all sessions of a tenant to find one.
 */
const LANES = `
create table sessions_lane (
  tenant text collate "C" not null,
  session text collate "C" not null,
  head bigint not null,
  fence bigint not null,
  owner text collate "C",
  lease_until timestamptz,
  claim text collate "C",
  last_key text collate "C",
  messages int not null default 0,
  controls int not null default 0,
  parked bool not null default false,
  state text not null,
  status text collate "C" not null default 'active',
  title text not null,
  tags text[] not null default '{}',
  principal text not null,
  message_count int not null default 0,
  input_tokens bigint not null default 0,
  output_tokens bigint not null default 0,
  model text,
  parent text collate "C",
  fork_at bigint,
  meta text not null,
  created_at timestamptz not null default clock_timestamp(),
  updated_at timestamptz not null default clock_timestamp(),
  idle_at timestamptz,
  primary key (tenant, session)
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05);

comment on column sessions_lane.claim is 'key of the inbox item that claimed the lane last';
comment on column sessions_lane.last_key is 'key of the last commit, which makes repeating it safe';

create index sessions_lane_open on sessions_lane (tenant, updated_at, session) where status <> 'expired';
create index sessions_lane_expired on sessions_lane (tenant, updated_at, session) where status = 'expired';
create index sessions_lane_work on sessions_lane (tenant, session) where owner is not null or controls > 0 or (messages > 0 and not parked);
create index sessions_lane_forks on sessions_lane (tenant, parent) where parent is not null;

create table sessions_journal (
  tenant text collate "C" not null,
  session text collate "C" not null,
  seq bigint not null,
  body text not null,
  sealed text,
  primary key (tenant, session, seq)
);

create table sessions_inbox (
  tenant text collate "C" not null,
  session text collate "C" not null,
  key text collate "C" not null,
  n bigint generated always as identity,
  body text not null,
  control bool not null,
  taken bool not null default false,
  at timestamptz not null default clock_timestamp(),
  primary key (tenant, session, key)
) with (fillfactor = 85, autovacuum_vacuum_scale_factor = 0.05);

create index sessions_inbox_taken on sessions_inbox (tenant, at) where taken;
`

/** Null until a call is made whose price is known. */
const COST = `
alter table sessions_lane add column cost bigint;
comment on column sessions_lane.cost is 'billionths of a dollar';
`

const CRASHES = `
alter table sessions_lane
  add column crashes int not null default 0,
  add column trial bool not null default false,
  add column set_aside text,
  add column unknown_effects int not null default 0;
comment on column sessions_lane.crashes is 'owners that were lost with this session since it last made progress';
comment on column sessions_lane.trial is 'it runs alone, so that a crash says whose fault it is';
comment on column sessions_lane.set_aside is 'why it waits for a person to decide whether it goes on';
create index sessions_lane_troubled on sessions_lane (tenant, updated_at) where set_aside is not null or unknown_effects > 0;
`

/**
 * Of sessions that wait already the first time in their state is taken: whoever comes too early
 * looks, and waits on.
 */
const DUE = `
alter table sessions_lane add column due bigint;
comment on column sessions_lane.due is 'ms since the epoch, from which on a parked lane has work: a question has expired';
update sessions_lane set due = substring(state from '"expires_at":([0-9]{10,15})[,}]')::bigint where parked;
create index sessions_lane_due on sessions_lane (tenant, due) where due is not null;
`

const ENDS = `
alter table sessions_lane add column provider text;
alter table sessions_lane add column last_end text;
comment on column sessions_lane.last_end is 'how the last run ended, as JSON';
create index sessions_lane_parked on sessions_lane (tenant, session) where parked;
`

const REQUESTS = `
alter table sessions_lane add column request text;
comment on column sessions_lane.request is 'digest of the request that made an empty session, so that it makes one';
`

/**
 * Not under the tenant role: a plugin reaches sessions through the SessionStore slot, never by SQL
 * of its own.
 */
export const MIGRATIONS: MigrationList = {
  plugin: 'sessions',
  migrations: [
    { name: 'lanes, journals and inboxes', sql: LANES },
    { name: 'what a session cost', sql: COST },
    { name: 'crashes and what is set aside', sql: CRASHES },
    { name: 'when a question expires', sql: DUE },
    { name: 'how a run ended', sql: ENDS },
    { name: 'the request that made a session', sql: REQUESTS },
  ],
  tenantTables: [],
}
