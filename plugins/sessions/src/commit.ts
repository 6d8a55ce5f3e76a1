import type { Commit, CommitVerdict, Row } from '@amodal/sdk'

/**
 * Commits of many sessions in one statement; of one session there is at most one in it.
 *
 * - The verdict reads the *locked* row: a snapshot would call a retry lost that races its own first try.
 * - Lanes are locked in the order of their keys, here and wherever several are locked, so nobody waits in a circle.
 * - Looking up one lane per row (`lateral`) keeps the plan on the key's index, whatever the planner makes of the table's size.
 * - Only inbox items that this commit really takes are counted off, so that taking one twice counts once.
 *
 * `$1`: what {@link commitRows} makes. `$2`: notifications, delivered once the transaction has committed.
 */
export const COMMIT = `
with c as materialized (
  select * from jsonb_to_recordset($1::jsonb) x(n int, tenant text collate "C", session text collate "C", fence bigint, base bigint,
    key text collate "C", state text, bodies text[], sealed text[], took text[], erase bigint[], ends text, lease_ms float8,
    messages int, input bigint, output bigint, model text)
  order by tenant, session),
l as materialized (
  select l.* from c cross join lateral (
    select r.tenant, r.session, r.head, r.fence, r.owner, r.last_key, r.messages, r.controls
    from sessions_lane r where r.tenant = c.tenant and r.session = c.session for update) l),
w as materialized (
  select c.* from c join l using (tenant, session)
  where l.fence = c.fence and l.owner is not null and l.head = c.base and l.last_key is distinct from c.key),
t as (
  update sessions_inbox i set taken = true from w
  where i.tenant = w.tenant and i.session = w.session and i.key = any(w.took) and not i.taken
  returning i.tenant, i.session, i.control),
s as (
  select tenant, session, count(*) filter (where not control) messages, count(*) filter (where control) controls
  from t group by tenant, session),
p as (
  select tenant, session, w.ends, l.messages - coalesce(s.messages, 0) messages, l.controls - coalesce(s.controls, 0) controls
  from w join l using (tenant, session) left join s using (tenant, session)),
k as (
  select *, ends = 'hold' or controls > 0 or (ends = 'end' and messages > 0) keeps from p),
m as (
  update sessions_lane r set head = w.base + cardinality(w.bodies), last_key = w.key, state = w.state,
    messages = k.messages, controls = k.controls,
    parked = case w.ends when 'park' then true when 'end' then false else r.parked end,
    owner = case when k.keeps then r.owner end,
    lease_until = case when k.keeps then clock_timestamp() + w.lease_ms * interval '1 ms' end,
    message_count = r.message_count + w.messages, input_tokens = r.input_tokens + w.input, output_tokens = r.output_tokens + w.output,
    model = coalesce(w.model, r.model), updated_at = clock_timestamp()
  from w join k using (tenant, session)
  where r.tenant = w.tenant and r.session = w.session
  returning r.tenant, r.session, r.owner, r.messages, r.controls),
j as (
  insert into sessions_journal(tenant, session, seq, body, sealed)
  select w.tenant, w.session, w.base + e.n, e.body, e.sealed
  from w cross join lateral unnest(w.bodies, w.sealed) with ordinality e(body, sealed, n)),
x as (
  update sessions_journal b set sealed = null from w
  where b.tenant = w.tenant and b.session = w.session and b.seq = any(w.erase)),
told as materialized (
  select count(pg_notify('sessions', payload)) from unnest($2::text[]) payload)
select case when m.session is not null or l.last_key = c.key then 'ok' when l.fence = c.fence and l.owner is not null then 'gap' else 'fenced' end verdict,
  l.fence = c.fence mine,
  case when m.session is null then l.owner is null else m.owner is null end released,
  coalesce(m.messages, l.messages) messages, coalesce(m.controls, l.controls) controls
from c left join l using (tenant, session) left join m using (tenant, session) cross join told
order by c.n`

/** `$1` of {@link COMMIT}. */
export function commitRows(commits: readonly Commit[]): string {
  return JSON.stringify(commits.map(({ tenant, session, fence, base, key, state, entries, took, erase, end, leaseMs, add, model }, n) => ({
    n, tenant, session, fence, base, key, state,
    bodies: entries.map(({ body }) => body),
    // Left out where nothing is sealed: `unnest` fills it up with nulls.
    ...(entries.some(({ sealed }) => sealed !== undefined) && { sealed: entries.map(({ sealed }) => sealed ?? null) }),
    took: [...took.messages, ...took.controls],
    ...(erase.length > 0 && { erase }),
    ends: end, lease_ms: leaseMs, messages: add.messages, input: add.input, output: add.output, model,
  })))
}

export const commitSize = ({ state, entries }: Commit): number =>
  entries.reduce((sum, { body, sealed = '' }) => sum + body.length + sealed.length, state.length)

/** A row of {@link COMMIT}. */
export function verdictOf(row: Row): CommitVerdict {
  const { verdict, mine, released, messages, controls } = row
  if (verdict === 'ok') return { verdict, mine: mine === true, released: released === true, messages: Number(messages), controls: Number(controls) }
  return { verdict: verdict === 'gap' ? verdict : 'fenced' }
}
