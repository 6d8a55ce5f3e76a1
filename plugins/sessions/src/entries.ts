import type { SessionRef, StoredEntry } from '@amodal/sdk'
import { sql, statement, type Selectable } from '@amodal/sdk/database'
import { ENTRIES_OF_ROW } from './journal-rows.ts'
import type { Tables } from './tables.ts'

type EntryRow = Pick<Selectable<Tables['sessions_entry']>, 'seq' | 'body' | 'sealed'>

interface Entries extends SessionRef {
  readonly after: number
  /** The head by default. */
  readonly upto: number | undefined
  /** All by default. */
  readonly limit: number | undefined
}

/**
 * Entries of a session and of those it was forked from: of each ancestor, the entries before the
 * fork. Written as SQL so that each part of the chain is read from its own position, and no more
 * rows than `limit`. A row has the entries of one commit and the number of the last: the row in
 * which a part ends may begin before that and go on behind it.
 */
export const ENTRIES = statement(
  ({ tenant, session, after, upto, limit }: Entries) => sql<EntryRow>`
with recursive chain(lane, parent, fork_at, upto) as (
  select lane, parent, fork_at, least(${upto}::bigint, head) from sessions_lane where tenant = ${tenant} and session = ${session}
  union all
  select p.lane, p.parent, p.fork_at, least(c.upto, c.fork_at)
  from chain c join sessions_lane p on p.tenant = ${tenant} and p.session = c.parent
  where c.fork_at > ${after}::bigint)
select e.seq, e.body, e.sealed from chain c cross join lateral (
  select r.seq, r.body, r.sealed from sessions_journal r
  where r.lane = c.lane and r.seq > ${after}::bigint
    and r.seq <= (select l.seq from sessions_journal l where l.lane = c.lane and l.seq >= c.upto order by l.seq limit 1)
  order by r.seq limit ${limit}::int) r cross join lateral (${ENTRIES_OF_ROW}) e
where e.seq > ${after}::bigint and e.seq <= c.upto
order by e.seq limit ${limit}::int`,
)

export const entryOf = ({ seq, body, sealed }: EntryRow): StoredEntry => ({
  seq,
  body,
  ...(sealed !== null && { sealed }),
})
