import type { Commit, CommitVerdict } from '@amodal/sdk'
import { sql, statement } from '@amodal/sdk/database'
import { SEPARATOR } from './journal-rows.ts'

interface Commits {
  /** The commits, the keys they acknowledge and the seqs they erase, as JSON. */
  readonly commits: string
  readonly acknowledged: string
  readonly erase: string
  /** Notifications, delivered once the transaction has committed. */
  readonly notifications: readonly string[]
}

interface VerdictRow {
  readonly verdict: 'ok' | 'gap' | 'fenced'
  readonly still_owned: boolean | null
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
 * - Only inbox items that no earlier commit has acknowledged are subtracted from the counts, so
 *   that a repeated acknowledgement counts once.
 * - Written as SQL to control that plan.
 *
 * Its parameters are the result of {@link commitRows} and the notifications.
 */
export const COMMIT = statement(
  ({ commits, acknowledged, erase, notifications }: Commits) => sql<VerdictRow>`
with commits as materialized (
  select sent.*, locked.lane, locked.head, locked.fence row_fence, locked.owner, locked.last_key, locked.messages, locked.controls,
    acknowledged.messages acknowledged_messages, acknowledged.controls acknowledged_controls
  from (
    select * from jsonb_to_recordset(${commits}::jsonb) x(n int, tenant text collate "C", session text collate "C", fence bigint, base bigint,
      key text collate "C", state text, entries int, body text, sealed text, acknowledged text[], ends text, due bigint, lease_ms float8,
      progress bool, add_messages int, add_input bigint, add_output bigint, add_cost bigint, add_unknown int, model text, provider text, ended text)
    order by tenant, session) sent
  left join lateral (
    select r.lane, r.head, r.fence, r.owner, r.last_key, r.messages, r.controls
    from sessions_lane r where r.tenant = sent.tenant and r.session = sent.session for update) locked on true
  cross join lateral (
    select count(*) filter (where not item.control) messages, count(*) filter (where item.control) controls
    from unnest(sent.acknowledged) acknowledged(key) cross join lateral (
      select r.control from sessions_inbox r
      where r.tenant = sent.tenant and r.session = sent.session and r.key = acknowledged.key and not r.taken offset 0) item) acknowledged),
accepted as materialized (
  select commits.*, ends = 'hold' or controls > acknowledged_controls or (ends = 'end' and messages > acknowledged_messages) keeps from commits
  where row_fence = fence and owner is not null and head = base and last_key is distinct from key),
updated as (
  update sessions_lane r set head = accepted.base + accepted.entries, last_key = accepted.key, state = accepted.state,
    messages = accepted.messages - accepted.acknowledged_messages, controls = accepted.controls - accepted.acknowledged_controls,
    parked = case accepted.ends when 'park' then true when 'end' then false else r.parked end,
    due = case when accepted.ends = 'park' then accepted.due end,
    owner = case when accepted.keeps then r.owner end,
    lease_until = case when accepted.keeps then clock_timestamp() + accepted.lease_ms * interval '1 ms' end,
    crashes = case when accepted.progress then 0 else r.crashes end, trial = r.trial and not accepted.progress,
    unknown_effects = greatest(0, r.unknown_effects + coalesce(accepted.add_unknown, 0)),
    message_count = r.message_count + accepted.add_messages, input_tokens = r.input_tokens + accepted.add_input, output_tokens = r.output_tokens + accepted.add_output,
    cost = coalesce(r.cost + accepted.add_cost, accepted.add_cost, r.cost), model = coalesce(accepted.model, r.model),
    provider = coalesce(accepted.provider, r.provider), last_end = coalesce(accepted.ended, r.last_end), updated_at = clock_timestamp()
  from accepted where r.tenant = accepted.tenant and r.session = accepted.session
  returning accepted.n, r.owner, r.messages, r.controls),
acknowledging as materialized (
  select accepted.tenant, accepted.session, item.key from accepted join jsonb_to_recordset(${acknowledged}::jsonb) item(n int, key text collate "C") using (n)),
acknowledged_items as (
  update sessions_inbox r set taken = true
  from acknowledging where r.tenant = acknowledging.tenant and r.session = acknowledging.session and r.key = acknowledging.key and not r.taken),
appended as (
  insert into sessions_journal(lane, seq, body, sealed)
  select accepted.lane, accepted.base + accepted.entries, accepted.body, accepted.sealed from accepted where accepted.entries > 0),
erasing as materialized (
  select r.lane, r.seq, array_agg(erase.seq) entries
  from accepted join jsonb_to_recordset(${erase}::jsonb) erase(n int, seq bigint) using (n) cross join lateral (
    select r.lane, r.seq, r.body from sessions_journal r where r.lane = accepted.lane and r.seq >= erase.seq order by r.seq limit 1) r
  where r.seq - cardinality(string_to_array(r.body, chr(30))) < erase.seq
  group by r.lane, r.seq),
erased as (
  update sessions_journal r set sealed = (
    select case when bool_or(l.line <> '') then string_agg(l.line, chr(30) order by l.n) end from (
      select case when r.seq - count(*) over () + s.n = any(erasing.entries) then '' else s.line end line, s.n
      from unnest(string_to_array(r.sealed, chr(30))) with ordinality s(line, n)) l)
  from erasing where r.lane = erasing.lane and r.seq = erasing.seq),
notified as materialized (
  select count(pg_notify('sessions', payload)) from unnest(${notifications}::text[]) payload)
select case when updated.n is not null or commits.last_key = commits.key then 'ok' when commits.row_fence = commits.fence and commits.owner is not null then 'gap' else 'fenced' end verdict,
  commits.row_fence = commits.fence still_owned,
  case when updated.n is null then commits.owner is null else updated.owner is null end released,
  coalesce(updated.messages, commits.messages) messages, coalesce(updated.controls, commits.controls) controls
from commits left join updated using (n) cross join notified
order by commits.n`,
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
            acknowledged,
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
          acknowledged: keysOf(acknowledged),
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
    acknowledged: JSON.stringify(
      commits.flatMap(({ acknowledged }, n) => keysOf(acknowledged).map((key) => ({ n, key }))),
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
export const verdictOf = ({
  verdict,
  still_owned: stillOwned,
  ...row
}: VerdictRow): CommitVerdict =>
  verdict === 'ok' ? { ...row, verdict, stillOwned: stillOwned === true } : { verdict }
