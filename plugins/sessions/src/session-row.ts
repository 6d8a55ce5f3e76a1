import { sessionId, type LastEnd, type Row, type SessionRow } from '@amodal/sdk'
import { statusOf } from './lane.ts'
import { IS_SUBAGENT } from './totals.ts'

const COLUMNS = `session, title, tags, principal, status, message_count, input_tokens, output_tokens, cost, model, provider, last_end, parent, fork_at, head, state, meta, set_aside, unknown_effects,
  (extract(epoch from created_at) * 1000)::bigint created_ms, (extract(epoch from updated_at) * 1000)::bigint updated_ms,
  (extract(epoch from updated_at) * 1000000)::bigint updated_us`

export const ROW = `select ${COLUMNS} from sessions_lane where tenant = $1 and session = $2`

/**
 * Newest first. `$1`: tenant, `$2`, `$3`: the place to go on from (µs since the epoch, session),
 * `$4`: how many, `$5`: whose, or null for everybody's, `$6`: with those of sub-agents, `$7`: that
 * wait for a person, or do not, `$8`: with all of these tags. The two halves have an index each;
 * whose they are is looked at on the way, so that a commit need not keep a third index.
 */
export const LIST = `
select ${COLUMNS} from (
  (${half(`status <> 'expired'`)}) union all (${half(`status = 'expired'`)})) both_halves
order by updated_at desc, session desc limit $4::int`

function half(which: string): string {
  return `select * from sessions_lane where tenant = $1 and ${which}
    and ($5::text is null or principal = $5) and ($6::bool or not ${IS_SUBAGENT})
    and ($7::bool is null or parked = $7) and ($8::text[] is null or tags @> $8) and (updated_at, session) < (timestamptz 'epoch' + $2::bigint * interval '1 microsecond', $3)
    order by updated_at desc, session desc limit $4::int`
}

/** `$1`: tenant, `$2`: whose, or null for everybody's, `$3`: how many. */
export const TROUBLED = `
select ${COLUMNS} from sessions_lane
where tenant = $1 and (set_aside is not null or unknown_effects > 0) and status <> 'expired' and ($2::text is null or principal = $2)
order by updated_at desc limit $3::int`

/** `$1`: tenant, `$2`: whose, or null for everybody's. */
export const WAITING = `
select count(*)::int waiting from sessions_lane
where tenant = $1 and parked and status <> 'expired' and ($2::text is null or principal = $2) and not ${IS_SUBAGENT}`

/**
 * `$1`: tenant, `$2`: session, `$3`: principal, `$4`: title, `$5`: meta, `$6`: state, `$7`: tags,
 * `$8`: request. The update changes nothing: it makes a repetition wait for its first try and see
 * what that wrote (`xmax` is 0 in a row that was inserted).
 */
export const CREATE = `
insert into sessions_lane as r (tenant, session, head, fence, principal, title, meta, state, tags, request)
values ($1, $2, 0, 0, $3, $4, $5, $6, coalesce($7::text[], '{}'), $8)
on conflict (tenant, session) do update set request = r.request
returning xmax = 0 fresh, request`

export const UPDATE = `
update sessions_lane set title = coalesce($3, title), tags = coalesce($4::text[], tags), meta = coalesce($5, meta)
where tenant = $1 and session = $2 returning session`

/**
 * `$1`: tenant, `$2`: parent, `$3`: child, `$4`: at, `$5`: principal, `$6`: title, `$7`: meta,
 * `$8`: state. The lock on the parent keeps it from being removed meanwhile. The same fork again
 * finds itself.
 */
export const FORK = `
with p as materialized (
  select tenant, session from sessions_lane
  where tenant = $1 and session = $2 and status <> 'expired' and head >= $4::bigint and $4::bigint >= 0 for update)
insert into sessions_lane as r (tenant, session, head, fence, parent, fork_at, principal, title, meta, state)
select p.tenant, $3, $4::bigint, 0, p.session, $4::bigint, $5, $6, $7, $8 from p
on conflict (tenant, session) do update set parent = excluded.parent
where r.parent = excluded.parent and r.fork_at = excluded.fork_at
returning r.session`

/** A session whose entries another one still shows. `r` is the row asked about. */
export const NEEDED = `exists (
  select from sessions_lane f where f.tenant = r.tenant and f.parent = r.session and f.fork_at > 0 and f.status <> 'expired')`

const AT_REST = 'owner is null and controls = 0 and (messages = 0 or parked) and set_aside is null'

/**
 * First locked, then looked at again: what was forked before the lock came is seen only by a later
 * statement.
 */
export const LOCK_AT_REST = `select session from sessions_lane where tenant = $1 and session = $2 and ${AT_REST} for update`

export const REMOVE = `
with gone as (
  delete from sessions_lane r where tenant = $1 and session = $2 and not ${NEEDED} returning tenant, session),
j as (delete from sessions_journal b using gone where b.tenant = gone.tenant and b.session = gone.session),
i as (delete from sessions_inbox b using gone where b.tenant = gone.tenant and b.session = gone.session)
select session from gone`

/** Behind every row. */
const START = { us: '253402300799000000', session: '' }

/** What a cursor says, or `undefined` where it is none of ours. */
export function placeOf(
  cursor: string | undefined,
): { readonly us: string; readonly session: string } | undefined {
  if (cursor === undefined) return START
  const [, us, session] =
    /^(\d{1,18})\.(.+)$/.exec(Buffer.from(cursor, 'base64url').toString()) ?? []
  return us === undefined || session === undefined ? undefined : { us, session }
}

export const cursorOf = (row: Row): string =>
  Buffer.from(`${String(row['updated_us'])}.${String(row['session'])}`).toString('base64url')

export function sessionOf(row: Row): SessionRow {
  const { tags, model, provider, last_end: ended, cost, parent, fork_at } = row
  return {
    session: sessionId(String(row['session'])),
    title: String(row['title']),
    tags: Array.isArray(tags) ? tags.map(String) : [],
    principal: String(row['principal']),
    status: statusOf(row),
    messageCount: Number(row['message_count']),
    inputTokens: Number(row['input_tokens']),
    outputTokens: Number(row['output_tokens']),
    model: typeof model === 'string' ? model : undefined,
    provider: typeof provider === 'string' ? provider : undefined,
    // written by COMMIT
    lastEnd: typeof ended === 'string' ? (JSON.parse(ended) as LastEnd) : undefined,
    cost: cost === null ? undefined : Number(cost),
    parent: typeof parent === 'string' ? sessionId(parent) : undefined,
    forkedAt: fork_at === null ? undefined : Number(fork_at),
    createdAt: Number(row['created_ms']),
    updatedAt: Number(row['updated_ms']),
    head: Number(row['head']),
    state: String(row['state']),
    meta: String(row['meta']),
    unknownEffects: Number(row['unknown_effects']),
    ...(typeof row['set_aside'] === 'string' && { setAside: row['set_aside'] }),
  }
}
