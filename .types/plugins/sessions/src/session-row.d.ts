import { type Row, type SessionRow } from '@amodal/sdk';
export declare const ROW = "select session, title, tags, principal, status, message_count, input_tokens, output_tokens, cost, model, provider, last_end, parent, fork_at, head, state, meta, set_aside, unknown_effects,\n  (extract(epoch from created_at) * 1000)::bigint created_ms, (extract(epoch from updated_at) * 1000)::bigint updated_ms,\n  (extract(epoch from updated_at) * 1000000)::bigint updated_us from sessions_lane where tenant = $1 and session = $2";
/**
 * Newest first. `$1`: tenant, `$2`, `$3`: the place to go on from (µs since the epoch, session), `$4`: how many, `$5`: whose,
 * or null for everybody's, `$6`: with those of sub-agents, `$7`: that wait for a person, or do not,
 * `$8`: with all of these tags. The two halves have an index each; whose they are is looked at on the way, so that a
 * commit need not keep a third index.
 */
export declare const LIST: string;
/** `$1`: tenant, `$2`: whose, or null for everybody's, `$3`: how many. */
export declare const TROUBLED = "\nselect session, title, tags, principal, status, message_count, input_tokens, output_tokens, cost, model, provider, last_end, parent, fork_at, head, state, meta, set_aside, unknown_effects,\n  (extract(epoch from created_at) * 1000)::bigint created_ms, (extract(epoch from updated_at) * 1000)::bigint updated_ms,\n  (extract(epoch from updated_at) * 1000000)::bigint updated_us from sessions_lane\nwhere tenant = $1 and (set_aside is not null or unknown_effects > 0) and status <> 'expired' and ($2::text is null or principal = $2)\norder by updated_at desc limit $3::int";
/** `$1`: tenant, `$2`: whose, or null for everybody's. */
export declare const WAITING = "\nselect count(*)::int waiting from sessions_lane\nwhere tenant = $1 and parked and status <> 'expired' and ($2::text is null or principal = $2) and not (parent is not null and fork_at = 0 and substring(meta from '\"subagent\":\"([^\"]+)\"') is not null)";
/**
 * `$1`: tenant, `$2`: session, `$3`: principal, `$4`: title, `$5`: meta, `$6`: state, `$7`: tags, `$8`: request. The update
 * changes nothing: it makes a repetition wait for its first try and see what that wrote (`xmax` is 0 in a row that was inserted).
 */
export declare const CREATE = "\ninsert into sessions_lane as r (tenant, session, head, fence, principal, title, meta, state, tags, request)\nvalues ($1, $2, 0, 0, $3, $4, $5, $6, coalesce($7::text[], '{}'), $8)\non conflict (tenant, session) do update set request = r.request\nreturning xmax = 0 fresh, request";
export declare const UPDATE = "\nupdate sessions_lane set title = coalesce($3, title), tags = coalesce($4::text[], tags), meta = coalesce($5, meta)\nwhere tenant = $1 and session = $2 returning session";
/**
 * `$1`: tenant, `$2`: parent, `$3`: child, `$4`: at, `$5`: principal, `$6`: title, `$7`: meta, `$8`: state. The lock on
 * the parent keeps it from being removed meanwhile. The same fork again finds itself.
 */
export declare const FORK = "\nwith p as materialized (\n  select tenant, session from sessions_lane\n  where tenant = $1 and session = $2 and status <> 'expired' and head >= $4::bigint and $4::bigint >= 0 for update)\ninsert into sessions_lane as r (tenant, session, head, fence, parent, fork_at, principal, title, meta, state)\nselect p.tenant, $3, $4::bigint, 0, p.session, $4::bigint, $5, $6, $7, $8 from p\non conflict (tenant, session) do update set parent = excluded.parent\nwhere r.parent = excluded.parent and r.fork_at = excluded.fork_at\nreturning r.session";
/** A session whose entries another one still shows. `r` is the row asked about. */
export declare const NEEDED = "exists (\n  select from sessions_lane f where f.tenant = r.tenant and f.parent = r.session and f.fork_at > 0 and f.status <> 'expired')";
/** First locked, then looked at again: what was forked before the lock came is seen only by a later statement. */
export declare const LOCK_AT_REST = "select session from sessions_lane where tenant = $1 and session = $2 and owner is null and controls = 0 and (messages = 0 or parked) and set_aside is null for update";
export declare const REMOVE = "\nwith gone as (\n  delete from sessions_lane r where tenant = $1 and session = $2 and not exists (\n  select from sessions_lane f where f.tenant = r.tenant and f.parent = r.session and f.fork_at > 0 and f.status <> 'expired') returning tenant, session),\nj as (delete from sessions_journal b using gone where b.tenant = gone.tenant and b.session = gone.session),\ni as (delete from sessions_inbox b using gone where b.tenant = gone.tenant and b.session = gone.session)\nselect session from gone";
/** What a cursor says, or `undefined` where it is none of ours. */
export declare function placeOf(cursor: string | undefined): {
    readonly us: string;
    readonly session: string;
} | undefined;
export declare const cursorOf: (row: Row) => string;
export declare function sessionOf(row: Row): SessionRow;
