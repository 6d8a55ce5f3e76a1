import type { Commit, CommitVerdict } from '@amodal/sdk'
import { sql, statement } from '@amodal/sdk/database'
import { SEPARATOR } from './journal-rows.ts'

interface Commits {
  /** The commits, the keys they acknowledge and the seqs they erase, as JSON. */
  readonly commits: string
  readonly took: string
  readonly erase: string
  /** Notifications, delivered once the transaction has committed. */
  readonly notifications: readonly string[]
}

interface VerdictRow {
  readonly verdict: 'ok' | 'gap' | 'fenced'
  readonly mine: boolean | null
  readonly released: boolean
  readonly messages: number
  readonly controls: number
}

/**
 * Commits of many sessions in one statement; of one session there is at most one in it.
 *
 * - The verdict reads the *locked* row: with a snapshot, a retry that runs concurrently with its
 *   first attempt would be reported as lost.
 * - Sessions are locked in the order of their keys, here and wherever several are locked, so no
 *   two statements wait for each other.
 * - Looking up row by row (`lateral`, `offset 0`), and keys and seqs in rows of their own, keep the
 *   plan on the keys' indexes: it is planned once, while the tables are empty, and must stay
 *   fast when they are not.
 * - Only inbox items that this commit acknowledges first are subtracted from the counts, so that a
 *   repeated acknowledgement counts once.
 * - Written as SQL to control that plan.
 *
 * Its parameters are the result of {@link commitRows} and the notifications.
 */
export const COMMIT = statement(
  ({ commits, took, erase, notifications }: Commits) => sql<VerdictRow>`
with c as materialized (
  select c.*, l.lane, l.head, l.fence held, l.owner, l.last_key, l.messages, l.controls, i.messages took_messages, i.controls took_controls
  from (
    select * from jsonb_to_recordset(${commits}::jsonb) x(n int, tenant text collate "C", session text collate "C", fence bigint, base bigint,
      key text collate "C", state text, entries int, body text, sealed text, took text[], ends text, due bigint, lease_ms float8,
      progress bool, add_messages int, add_input bigint, add_output bigint, add_cost bigint, add_unknown int, model text, provider text, ended text)
    order by tenant, session) c
  left join lateral (
    select r.lane, r.head, r.fence, r.owner, r.last_key, r.messages, r.controls
    from sessions_lane r where r.tenant = c.tenant and r.session = c.session for update) l on true
  cross join lateral (
    select count(*) filter (where not i.control) messages, count(*) filter (where i.control) controls
    from unnest(c.took) took(key) cross join lateral (
      select r.control from sessions_inbox r
      where r.tenant = c.tenant and r.session = c.session and r.key = took.key and not r.taken offset 0) i) i),
w as materialized (
  select c.*, ends = 'hold' or controls > took_controls or (ends = 'end' and messages > took_messages) keeps from c
  where held = fence and owner is not null and head = base and last_key is distinct from key),
m as (
  update sessions_lane r set head = w.base + w.entries, last_key = w.key, state = w.state,
    messages = w.messages - w.took_messages, controls = w.controls - w.took_controls,
    parked = case w.ends when 'park' then true when 'end' then false else r.parked end,
    due = case when w.ends = 'park' then w.due end,
    owner = case when w.keeps then r.owner end,
    lease_until = case when w.keeps then clock_timestamp() + w.lease_ms * interval '1 ms' end,
    crashes = case when w.progress then 0 else r.crashes end, trial = r.trial and not w.progress,
    unknown_effects = greatest(0, r.unknown_effects + coalesce(w.add_unknown, 0)),
    message_count = r.message_count + w.add_messages, input_tokens = r.input_tokens + w.add_input, output_tokens = r.output_tokens + w.add_output,
    cost = coalesce(r.cost + w.add_cost, w.add_cost, r.cost), model = coalesce(w.model, r.model),
    provider = coalesce(w.provider, r.provider), last_end = coalesce(w.ended, r.last_end), updated_at = clock_timestamp()
  from w where r.tenant = w.tenant and r.session = w.session
  returning w.n, r.owner, r.messages, r.controls),
taking as materialized (
  select w.tenant, w.session, took.key from w join jsonb_to_recordset(${took}::jsonb) took(n int, key text collate "C") using (n)),
t as (
  update sessions_inbox r set taken = true
  from taking k where r.tenant = k.tenant and r.session = k.session and r.key = k.key and not r.taken),
j as (
  insert into sessions_journal(lane, seq, body, sealed)
  select w.lane, w.base + w.entries, w.body, w.sealed from w where w.entries > 0),
erasing as materialized (
  select r.lane, r.seq, array_agg(erase.seq) entries
  from w join jsonb_to_recordset(${erase}::jsonb) erase(n int, seq bigint) using (n) cross join lateral (
    select r.lane, r.seq, r.body from sessions_journal r where r.lane = w.lane and r.seq >= erase.seq order by r.seq limit 1) r
  where r.seq - cardinality(string_to_array(r.body, chr(30))) < erase.seq
  group by r.lane, r.seq),
x as (
  update sessions_journal r set sealed = (
    select case when bool_or(l.line <> '') then string_agg(l.line, chr(30) order by l.n) end from (
      select case when r.seq - count(*) over () + s.n = any(k.entries) then '' else s.line end line, s.n
      from unnest(string_to_array(r.sealed, chr(30))) with ordinality s(line, n)) l)
  from erasing k where r.lane = k.lane and r.seq = k.seq),
notified as materialized (
  select count(pg_notify('sessions', payload)) from unnest(${notifications}::text[]) payload)
select case when m.n is not null or c.last_key = c.key then 'ok' when c.held = c.fence and c.owner is not null then 'gap' else 'fenced' end verdict,
  c.held = c.fence mine,
  case when m.n is null then c.owner is null else m.owner is null end released,
  coalesce(m.messages, c.messages) messages, coalesce(m.controls, c.controls) controls
from c left join m using (n) cross join notified
order by c.n`,
)

/** The commits of {@link COMMIT}, the keys they acknowledge, the seqs they erase. */
export function commitRows(commits: readonly Commit[]): Omit<Commits, 'notifications'> {
  return {
    commits: JSON.stringify(
      commits.map(
        (
          {
            tenant,
            session,
            fencingToken: fence,
            base,
            key,
            state,
            entries,
            acknowledged: took,
            end,
            due,
            leaseMs,
            progress,
            add,
            model,
            provider,
            ended,
          },
          n,
        ) => ({
          n,
          tenant,
          session,
          fence,
          base,
          key,
          state,
          entries: entries.length,
          body: entries.map(({ body }) => body).join(SEPARATOR),
          took: keysOf(took),
          ...(entries.some(({ sealed }) => sealed !== undefined) && {
            sealed: entries.map(({ sealed = '' }) => sealed).join(SEPARATOR),
          }),
          ends: end,
          due,
          lease_ms: leaseMs,
          progress,
          add_messages: add.messages,
          add_input: add.input,
          add_output: add.output,
          add_cost: add.cost,
          add_unknown: add.unknown,
          model,
          provider,
          ended: ended && JSON.stringify(ended),
        }),
      ),
    ),
    took: JSON.stringify(
      commits.flatMap(({ acknowledged: took }, n) => keysOf(took).map((key) => ({ n, key }))),
    ),
    erase: JSON.stringify(commits.flatMap(({ erase }, n) => erase.map((seq) => ({ n, seq })))),
  }
}

const keysOf = ({ messages, controls }: Commit['acknowledged']): readonly string[] => [
  ...new Set([...messages, ...controls]),
]

export const commitSize = ({ state, entries }: Commit): number =>
  entries.reduce((sum, { body, sealed = '' }) => sum + body.length + sealed.length, state.length)

/** A row of {@link COMMIT}. */
export const verdictOf = ({ verdict, mine, ...row }: VerdictRow): CommitVerdict =>
  verdict === 'ok' ? { ...row, verdict, stillOwner: mine === true } : { verdict }
