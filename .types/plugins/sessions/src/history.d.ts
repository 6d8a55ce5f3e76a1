import type { Row, StoredEntry } from '@amodal/sdk';
/**
 * Entries of a session, and of those it was forked from: each ancestor gives what it had where the fork was made.
 * `$1`: tenant, `$2`: session, `$3`: after, `$4`: up to (null: the head), `$5`: how many (null: all).
 */
export declare const ENTRIES = "\nwith recursive chain(session, parent, fork_at, upto) as (\n  select session, parent, fork_at, least($4::bigint, head) from sessions_lane where tenant = $1 and session = $2\n  union all\n  select p.session, p.parent, p.fork_at, least(c.upto, c.fork_at)\n  from chain c join sessions_lane p on p.tenant = $1 and p.session = c.parent\n  where c.fork_at > $3::bigint)\nselect j.seq, j.body, j.sealed from chain c cross join lateral (\n  select seq, body, sealed from sessions_journal r\n  where r.tenant = $1 and r.session = c.session and r.seq > $3::bigint and r.seq <= c.upto\n  order by seq limit $5::int) j\norder by j.seq limit $5::int";
export declare function entryOf(row: Row): StoredEntry;
