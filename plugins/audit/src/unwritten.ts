import { OUTCOME_SETTLED } from '@amodal/sdk'
import { sql, statement, type RawBuilder, type TypedStatement } from '@amodal/sdk/database'
import type { SessionRelations } from '@amodal/plugin-sessions/tokens'

export interface UnwrittenRow {
  readonly tenant: string
  readonly session: string
  /** In a fork: entries up to here belong to its parent. */
  readonly forked_at: number | null
}

/** Kinds of entries that have no line. One that is not known below counts as unwritten. */
const WITHOUT_LINE = sql`('model_reply', 'compacted', 'child_closed')`

const BODY = sql<string>`e.body`
const ID = sql<string>`e.id`

/** The first value of a field in a text of JSON; null where it is no plain text. */
const field = (name: string, json = BODY): RawBuilder<string> =>
  sql<string>`substring(${json} from ${sql.lit(`"${name}":"([^"\\\\]*)"`)})`

const contains = (part: string, json = BODY): RawBuilder<boolean> =>
  sql<boolean>`strpos(${json}, ${sql.lit(part)}) > 0`

const PROPOSAL = '"type":"kb_proposal"'
const behindProposal = (n: number): RawBuilder<string> =>
  sql<string>`split_part(e.body, ${sql.lit(PROPOSAL)}, ${sql.lit(n + 1)})`
const FIRST = behindProposal(1)
const SECOND = behindProposal(2)
/** Those of `knowledge`. */
const STATUSES = ['pending', 'approved', 'rejected'].map((status) => ({
  status,
  isNamed: contains(`"status":"${status}"`, FIRST),
}))

const key = (...parts: readonly RawBuilder<string>[]): RawBuilder<string> =>
  sql`e.run || ':' || ${sql.join(parts, sql` || ':' || `)}`

const text = (value: string): RawBuilder<string> => sql.lit(value)

/**
 * The keys of an entry's lines, as `draftsOf` makes them. A key that the text does not give is
 * null: its session is read, which decides.
 */
const KEYS = sql`
select case e.kind
  when 'user_message' then ${key(text('start'))}
  when 'run_ended' then ${key(text('end'))}
  when 'tool_outcome' then ${key(ID, text('done'))}
  when 'tool_intent' then ${key(ID, text('begun'))}
  when 'input_asked' then ${key(ID, text('asked'))}
  when 'input_answered' then ${key(ID, text('answered'))}
  when 'child_opened' then ${key(ID, text('child'))}
  when 'note' then case
    when ${contains(`"code":"${OUTCOME_SETTLED}"`)} then ${key(field('call'), text(OUTCOME_SETTLED))}
    when ${contains('"code":"retry_failed"')} then ${key(field('call'), text('retry_failed'))}
    else ${key(field('revoked'), text('revoked'))} end
  end as key
where e.kind is distinct from 'note' or ${contains(`"code":"${OUTCOME_SETTLED}"`)}
  or ${contains('"code":"retry_failed"')} or ${contains('"revoked":')}
union all
select s.session || ':start' where s.forked_at is null and e.seq = 1 and e.kind = 'user_message'
${sql.join(
  STATUSES.map(
    ({ status, isNamed }) => sql`
union all
select ${key(field('proposal_id', FIRST), text(status))} where e.kind = 'tool_outcome' and ${isNamed}`,
  ),
  sql``,
)}
union all
select null where e.kind = 'tool_outcome' and ${contains(PROPOSAL)}
  and (${SECOND} <> '' or not (${sql.join(
    STATUSES.map(({ isNamed }) => isNamed),
    sql` or `,
  )}))`

/**
 * The line of a key, found with the index of lines of sessions: its columns have the collation of
 * the database. For each key by itself, whatever the planner expects (`offset 0`).
 */
const LINE = sql`
select l.n from audit_line l where l.tenant = t.tenant collate "default"
  and l.session = s.session collate "default" and l.key = k.key collate "default" offset 0`

/**
 * Sessions with entries that have no line, among the newest entries of those that changed since a
 * time: all in one statement, which the database answers from indexes and without sending an entry.
 *
 * Every entry is looked for, not only the newest: the process that wrote one may have died before
 * its line, and another may have gone on in the session and written its own. Of what is older, the
 * last commit of a session is looked for: what died with it is at the end of what was written then.
 */
export const unwrittenOf = (
  relations: SessionRelations,
): ((values: {
  /** ms since the epoch. */
  readonly now: number
  readonly lookBack: number
}) => TypedStatement<UnwrittenRow>) =>
  statement(
    ({ now, lookBack }: { readonly now: number; readonly lookBack: number }) => sql<UnwrittenRow>`
with since as materialized (
  select least(${now}::bigint, (select at from (${relations.lastChange}) c)) - ${lookBack}::bigint as at)
select t.tenant, s.session, s.forked_at from since cross join (${relations.tenants}) t
cross join lateral (${relations.changed({ tenant: sql`t.tenant`, since: sql`since.at` })}) s
where exists (
  select from (${relations.newestEntries({ lane: sql`s.lane`, since: sql`since.at` })}) e
  cross join lateral (${KEYS}) k left join lateral (${LINE}) l on true
  where (e.kind is null or e.kind not in ${WITHOUT_LINE}) and l.n is null)`,
  )
