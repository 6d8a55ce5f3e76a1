/**
 * Fills a migrated database with sessions: copies of the few that real turns have written, under
 * ids of their own, with all that is stored of each, so that nothing is missing.
 */

import pg from 'pg'

import type { Bench } from './adapters.ts'
import { cleanLoad } from './server-process.ts'
import { say } from './vocabulary.ts'

const DAY_MS = 86_400_000
/** Older sessions are of so many days. */
const DAYS = 30
/** Where the number of a copy stands in its ids. */
const NUMBER = '§'
/** Original sessions of each kind, each with several turns. */
const ORIGINALS = 3
const TURNS = 2

interface Stored {
  readonly sessions: number
  /** Of those, how many were used just now. The others are older than a day. */
  readonly recent: number
}

/** All times of the recent ones are those of this call. */
export async function storeSessions(
  bench: Bench,
  database: string,
  { sessions, recent }: Stored,
): Promise<void> {
  const server = await bench.start('amodal-pg', { database })
  const load = { clients: ORIGINALS, turns: TURNS, 'turns-per-session': TURNS }
  await cleanLoad(server, { ...load, message: say.text(20) })
  await cleanLoad(server, { ...load, message: say.tool() })
  await server.stop()
  const client = new pg.Client({ connectionString: database })
  await client.connect()
  try {
    await client.query(COPY)
    const originals = 2 * ORIGINALS
    await copy(client, recent / originals, 0)
    for (let day = 1; day <= DAYS; day += 1)
      await copy(client, (sessions - recent) / DAYS / originals, day * DAY_MS)
    await client.query('vacuum analyze')
  } finally {
    await client.end()
  }
}

async function copy(client: pg.Client, copies: number, ms: number): Promise<void> {
  await client.query('select copy_sessions($1, $2)', [Math.ceil(copies), ms])
}

/**
 * The originals are the sessions whose ids have no number. Texts of a copy have its ids, and times
 * that are earlier by so many ms: each `"at":` is followed by one.
 */
const COPY = `
create sequence copy_number;
create function moved(body text, ms bigint) returns text language sql as $$
  select string_agg(case when n = 1 then part
    else '"at":' || substring(part from '^\\d+')::bigint - ms || substring(part from '^\\d+(.*)$') end, '' order by n)
  from regexp_split_to_table(body, '"at":') with ordinality p(part, n) $$;
create function numbered(body text) returns text language sql as $$
  select regexp_replace(body, '(sess|run)_\\w{16}', '\\&${NUMBER}', 'g') $$;
create function copy_sessions(copies int, back bigint) returns void language plpgsql as $$
declare before bigint = nextval('copy_number');
begin
  create temp table copied on commit drop as select nextval('copy_number') c from generate_series(1, copies);
  insert into sessions_lane(created_at, tenant, session, principal, meta, title, provider, model, last_end, input_tokens,
    output_tokens, head, message_count, state, last_key, updated_at, work, fence, claim)
  select created_at - back * interval '1 ms', tenant, session || '${NUMBER}' || c, principal, meta, title, provider, model, moved(last_end, back), input_tokens,
    output_tokens, head, message_count, state, last_key, updated_at - back * interval '1 ms', false, fence, claim
  from sessions_lane cross join copied where session not like '%${NUMBER}%';
  insert into sessions_journal(lane, seq, body)
  select l.lane, o.seq, replace(o.body, '${NUMBER}', '${NUMBER}' || c)
  from (select s.session, j.seq, numbered(moved(j.body, back)) body from sessions_journal j join sessions_lane s using (lane)
    where s.session not like '%${NUMBER}%' offset 0) o
  cross join copied join sessions_lane l on l.tenant = 'local' and l.session = o.session || '${NUMBER}' || c;
  insert into sessions_inbox(tenant, session, key, body, control, taken, at)
  select tenant, session || '${NUMBER}' || c, key, body, control, taken, at - back * interval '1 ms'
  from sessions_inbox cross join copied where session not like '%${NUMBER}%';
  insert into usage_run select u.tenant, u.run || '${NUMBER}' || c, u.session || '${NUMBER}' || c, u.principal, u.agent, u.automation, u.profile,
    u.started_at - back, u.ended_at - back, u.ms, u.waited_ms, u.model_ms, u.reason, u.error, u.calls, u.call_errors, u.input_tokens, u.output_tokens,
    u.cache_read, u.cache_write, u.cost, u.unpriced, u.models, u.tools, u.seq
  from usage_run u cross join copied where session not like '%${NUMBER}%';
  insert into audit_line(tenant, n, key, session, body, hash)
  select o.tenant, h.n + row_number() over (), replace(o.key, '${NUMBER}', '${NUMBER}' || c), o.session || '${NUMBER}' || c,
    replace(o.body, '${NUMBER}', '${NUMBER}' || c), o.hash
  from (select tenant, session, numbered(key) as key, numbered(moved(body, back)) body, hash from audit_line
    where session not like '%${NUMBER}%' offset 0) o
  cross join copied join audit_head h on h.tenant = o.tenant;
  update audit_head h set n = (select max(n) from audit_line l where l.tenant = h.tenant)
  where n < (select max(n) from audit_line l where l.tenant = h.tenant);
end $$`
