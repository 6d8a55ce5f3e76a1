import type { Row, StoredEntry } from '@amodal/sdk'

/**
 * Entries of a session, and of those it was forked from: each ancestor gives what it had where the
 * fork was made. `$1`: tenant, `$2`: session, `$3`: after, `$4`: up to (null: the head), `$5`: how
 * many (null: all).
 */
export const ENTRIES = `
with recursive chain(session, parent, fork_at, upto) as (
  select session, parent, fork_at, least($4::bigint, head) from sessions_lane where tenant = $1 and session = $2
  union all
  select p.session, p.parent, p.fork_at, least(c.upto, c.fork_at)
  from chain c join sessions_lane p on p.tenant = $1 and p.session = c.parent
  where c.fork_at > $3::bigint)
select j.seq, j.body, j.sealed from chain c cross join lateral (
  select seq, body, sealed from sessions_journal r
  where r.tenant = $1 and r.session = c.session and r.seq > $3::bigint and r.seq <= c.upto
  order by seq limit $5::int) j
order by j.seq limit $5::int`

export function entryOf(row: Row): StoredEntry {
  const { seq, body, sealed } = row
  return { seq: Number(seq), body: String(body), ...(typeof sealed === 'string' && { sealed }) }
}
