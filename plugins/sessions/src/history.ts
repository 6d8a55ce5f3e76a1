import type { LaneRef, StoredEntry } from '@amodal/sdk'
import { sql, statement, type Selectable } from '@amodal/sdk/database'
import type { Tables } from './tables.ts'

type EntryRow = Pick<Selectable<Tables['sessions_journal']>, 'seq' | 'body' | 'sealed'>

interface Entries extends LaneRef {
  readonly after: number
  /** The head, where it is not said. */
  readonly upto: number | undefined
  /** All, where it is not said. */
  readonly limit: number | undefined
}

/**
 * Entries of a session, and of those it was forked from: each ancestor gives what it had where the
 * fork was made. By hand: each part of the chain is read from its own place on, so no more rows
 * than are asked for.
 */
export const ENTRIES = statement(
  ({ tenant, session, after, upto, limit }: Entries) => sql<EntryRow>`
with recursive chain(session, parent, fork_at, upto) as (
  select session, parent, fork_at, least(${upto}::bigint, head) from sessions_lane where tenant = ${tenant} and session = ${session}
  union all
  select p.session, p.parent, p.fork_at, least(c.upto, c.fork_at)
  from chain c join sessions_lane p on p.tenant = ${tenant} and p.session = c.parent
  where c.fork_at > ${after}::bigint)
select j.seq, j.body, j.sealed from chain c cross join lateral (
  select seq, body, sealed from sessions_journal r
  where r.tenant = ${tenant} and r.session = c.session and r.seq > ${after}::bigint and r.seq <= c.upto
  order by seq limit ${limit}::int) j
order by j.seq limit ${limit}::int`,
)

export const entryOf = ({ seq, body, sealed }: EntryRow): StoredEntry => ({
  seq,
  body,
  ...(sealed !== null && { sealed }),
})
