import {
  sessionId,
  type LastEnd,
  type SessionKind,
  type SessionRef,
  type SessionRow,
  type SessionStanding,
} from '@amodal/sdk'
import { parseExact } from '@amodal/sdk/data'
import { sql, statement, type Selectable } from '@amodal/sdk/database'
import { db, type Tables } from './tables.ts'
import { LISTED_KINDS } from '@amodal/sdk/loop'
import { IS_SUBAGENT } from './totals.ts'

const COLUMNS = [
  'session',
  'kind',
  'title',
  'tags',
  'principal',
  'status',
  'message_count',
  'input_tokens',
  'output_tokens',
  'cost',
  'model',
  'provider',
  'last_end',
  'parent',
  'fork_at',
  'head',
  'state',
  'meta',
  'set_aside',
  'unknown_effects',
] as const

const TIMES = [
  sql<number>`floor(extract(epoch from created_at) * 1000)::bigint`.as('created_ms'),
  sql<number>`floor(extract(epoch from updated_at) * 1000)::bigint`.as('updated_ms'),
  sql<number>`(extract(epoch from updated_at) * 1000000)::bigint`.as('updated_us'),
] as const

/** See {@link SessionStanding}. `owner` and `messages`: a run, or a message that waits for one. */
const STANDING = sql<SessionStanding | null>`case
  when set_aside is not null then 'set_aside'
  when parked then 'waiting'
  when owner is not null or messages > 0 then 'running'
  when last_end::json ->> 'reason' = 'error' then 'failed'
  when last_end is not null and status <> 'expired' then 'done' end`

type Columns = Pick<Selectable<Tables['sessions_lane']>, (typeof COLUMNS)[number]> & {
  readonly created_ms: number
  readonly updated_ms: number
  readonly updated_us: number
  readonly standing: SessionStanding | null
}

// As text of the statement: a partial index fits no parameter.
const [OPEN, ACTIVE, IDLE, EXPIRED] = [
  sql<boolean>`status <> 'expired'`,
  sql<boolean>`status = 'active'`,
  sql<boolean>`status = 'idle'`,
  sql<boolean>`status = 'expired'`,
]

/** Limits rows to a principal; all rows when it is null. */
const of = (principal: string | undefined) =>
  sql<boolean>`(${principal}::text is null or principal = ${principal})`

const sessionWhere = ({ tenant, session }: SessionRef) =>
  db.selectFrom('sessions_lane').where('tenant', '=', tenant).where('session', '=', session)

export const ROW = statement((ref: SessionRef) =>
  sessionWhere(ref).select(COLUMNS).select(TIMES).select(STANDING.as('standing')),
)

/** Filters are those of `Page`. */
interface List {
  readonly tenant: string
  /** The position to continue from: µs since the epoch, and a session. */
  readonly us: string
  readonly session: string
  readonly limit: number
  readonly principal: string | undefined
  readonly subagents: boolean
  readonly waiting: boolean | undefined
  readonly tags: readonly string[] | undefined
  readonly kinds: readonly SessionKind[] | undefined
  readonly search: string | undefined
  /** The same in lower case: a database with the locale C lowers ASCII alone. */
  readonly lowered: string | undefined
  readonly standing: SessionStanding | undefined
  readonly model: string | undefined
  /** ms since the epoch. */
  readonly from: number | undefined
}

/**
 * Newest first. Each part has an index; the principal is filtered afterwards, so that a commit need
 * not update a third index. The order by bucket and time is the one by time: rows are read bucket
 * by bucket, and each is sorted, until there are enough. Other filters have no index of their own,
 * which a turn would have to update: rows are filtered by them as they are read.
 */
export const LIST = statement((list: List) => {
  const { tenant, us, session, limit, principal, subagents, waiting, tags, kinds } = list
  const { search, lowered, standing, model, from } = list
  const since = sql<Date>`coalesce(timestamptz 'epoch' + ${from}::bigint * interval '1 millisecond', '-infinity')`
  const at = sql<Date>`timestamptz 'epoch' + ${us}::bigint * interval '1 microsecond'`
  const part = (which: typeof EXPIRED) =>
    db
      .selectFrom('sessions_lane')
      .selectAll()
      .where('tenant', '=', tenant)
      .where(which)
      .where(of(principal))
      .where(sql<boolean>`(${subagents}::bool or not ${IS_SUBAGENT})`)
      .where(sql<boolean>`(${waiting}::bool is null or parked = ${waiting})`)
      .where(sql<boolean>`(${tags}::text[] is null or tags @> ${tags})`)
      .where(sql<boolean>`(${kinds}::text[] is null or kind = any(${kinds}::text[]))`)
      .where(
        sql<boolean>`(${search}::text is null or strpos(title, ${search}) > 0 or strpos(lower(title), ${lowered}) > 0 or starts_with(session, ${search}))`,
      )
      .where(sql<boolean>`(${standing}::text is null or ${STANDING} = ${standing})`)
      .where(sql<boolean>`(${model}::text is null or model = ${model})`)
      .where(sql<boolean>`bucket >= ${since} - interval '5 minutes'`)
      .where(sql<boolean>`updated_at >= ${since}`)
      .where(sql<boolean>`bucket <= ${at}`)
      .where(sql<boolean>`(updated_at, session) < (${at}, ${session})`)
      .orderBy('bucket', 'desc')
      .orderBy('updated_at', 'desc')
      .orderBy('session', 'desc')
      .limit(limit)
  return db
    .selectFrom(
      db
        .selectFrom(part(ACTIVE).as('active'))
        .selectAll()
        .unionAll(db.selectFrom(part(IDLE).as('idle')).selectAll())
        .unionAll(db.selectFrom(part(EXPIRED).as('expired')).selectAll())
        .as('parts'),
    )
    .select(COLUMNS)
    .select(TIMES)
    .select(STANDING.as('standing'))
    .orderBy('updated_at', 'desc')
    .orderBy('session', 'desc')
    .limit(limit)
})

interface Whose {
  readonly tenant: string
  readonly principal: string | undefined
}

export const TROUBLED = statement(({ tenant, principal, limit }: Whose & { limit: number }) =>
  db
    .selectFrom('sessions_lane')
    .select(COLUMNS)
    .select(TIMES)
    .select(STANDING.as('standing'))
    .where('tenant', '=', tenant)
    .where(sql<boolean>`(set_aside is not null or unknown_effects > 0)`)
    .where(OPEN)
    .where(of(principal))
    .orderBy('updated_at', 'desc')
    .limit(limit),
)

export const WAITING = statement(({ tenant, principal }: Whose) =>
  db
    .selectFrom('sessions_lane')
    .select(sql<number>`count(*)::int`.as('waiting'))
    .where('tenant', '=', tenant)
    .where((eb) => eb.ref('parked'))
    .where('kind', 'in', LISTED_KINDS)
    .where(OPEN)
    .where(of(principal))
    .where((eb) => eb.not(IS_SUBAGENT)),
)

interface New extends SessionRef {
  readonly principal: string
  readonly title: string
  readonly meta: string
  readonly state: string
  readonly kind: SessionKind | undefined
}

/**
 * The update changes nothing: it makes a retry wait for the first attempt and see what it wrote
 * (`xmax` is 0 in a row that was inserted).
 */
export const CREATE = statement(
  (row: New & { tags: readonly string[] | undefined; request: string | undefined }) =>
    db
      .insertInto('sessions_lane')
      .values((eb) => ({
        tenant: row.tenant,
        session: row.session,
        head: eb.lit(0),
        fence: eb.lit(0),
        principal: row.principal,
        title: row.title,
        meta: row.meta,
        state: row.state,
        tags: sql<readonly string[]>`coalesce(${row.tags}::text[], '{}')`,
        request: sql<string | null>`${row.request}`,
        kind: sql<SessionKind>`coalesce(${row.kind}::text, 'chat')`,
      }))
      .onConflict((conflict) =>
        conflict
          .columns(['tenant', 'session'])
          .doUpdateSet((eb) => ({ request: eb.ref('sessions_lane.request') })),
      )
      .returning([sql<boolean>`xmax = 0`.as('fresh'), 'request']),
)

interface Change extends SessionRef {
  readonly title: string | undefined
  readonly tags: readonly string[] | undefined
  readonly meta: string | undefined
}

/** Omitted fields stay unchanged. */
export const UPDATE = statement(({ tenant, session, title, tags, meta }: Change) =>
  db
    .updateTable('sessions_lane')
    .set({
      title: sql<string>`coalesce(${title}, title)`,
      tags: sql<readonly string[]>`coalesce(${tags}::text[], tags)`,
      meta: sql<string>`coalesce(${meta}, meta)`,
    })
    .where('tenant', '=', tenant)
    .where('session', '=', session)
    .returning('session'),
)

/**
 * The lock prevents removal of the parent meanwhile. A retried fork returns the existing session.
 */
export const FORK = statement(
  ({
    tenant,
    session,
    child,
    at,
    principal,
    title,
    meta,
    state,
    kind,
  }: New & { child: string; at: number }) =>
    db
      .with(
        (name) => name('p').materialized(),
        () =>
          sessionWhere({ tenant, session })
            .select(['tenant', 'session', 'kind'])
            .where(OPEN)
            .where(sql<boolean>`head >= ${at}::bigint and ${at}::bigint >= 0`)
            .forUpdate(),
      )
      .insertInto('sessions_lane')
      .columns([
        'tenant',
        'session',
        'head',
        'fence',
        'parent',
        'fork_at',
        'principal',
        'title',
        'meta',
        'state',
        'kind',
      ])
      .expression((eb) =>
        eb
          .selectFrom('p')
          .select([
            'p.tenant',
            sql<string>`${child}::text`.as('session'),
            sql<number>`${at}::bigint`.as('head'),
            sql<number>`0`.as('fence'),
            'p.session as parent',
            sql<number>`${at}::bigint`.as('fork_at'),
            sql<string>`${principal}::text`.as('principal'),
            sql<string>`${title}::text`.as('title'),
            sql<string>`${meta}::text`.as('meta'),
            sql<string>`${state}::text`.as('state'),
            sql<SessionKind>`coalesce(${kind}::text, p.kind)`.as('kind'),
          ]),
      )
      .onConflict((conflict) =>
        conflict
          .columns(['tenant', 'session'])
          .doUpdateSet((eb) => ({ parent: eb.ref('excluded.parent') }))
          .whereRef('sessions_lane.parent', '=', 'excluded.parent')
          .whereRef('sessions_lane.fork_at', '=', 'excluded.fork_at'),
      )
      .returning('sessions_lane.session'),
)

/** Whether a fork still shows entries of the session `r`. */
export const NEEDED = sql<boolean>`exists (${db
  .selectFrom('sessions_lane as f')
  .select('f.session')
  .where('f.tenant', '=', sql.ref<string>('r.tenant'))
  .where('f.parent', '=', sql.ref<string>('r.session'))
  .where('f.fork_at', '>', sql.lit(0))
  .where(sql<boolean>`f.status <> 'expired'`)})`

/**
 * Locks the row, then repeats the check: a fork created before the lock was acquired is only
 * visible to a later statement.
 */
export const LOCK_UNCLAIMED = statement((ref: SessionRef) =>
  sessionWhere(ref)
    .select('session')
    .where(
      sql<boolean>`owner is null and controls = 0 and (messages = 0 or parked) and set_aside is null`,
    )
    .forUpdate(),
)

export const REMOVE = statement(({ tenant, session }: SessionRef) =>
  db
    .with('removed', (within) =>
      within
        .deleteFrom('sessions_lane as r')
        .where('r.tenant', '=', tenant)
        .where('r.session', '=', session)
        .where((eb) => eb.not(NEEDED))
        .returning(['r.tenant', 'r.session', 'r.lane']),
    )
    .with('deleted_entries', (within) =>
      within
        .deleteFrom('sessions_journal as b')
        .using('removed')
        .whereRef('b.lane', '=', 'removed.lane'),
    )
    .with('deleted_items', (within) =>
      within
        .deleteFrom('sessions_inbox as b')
        .using('removed')
        .whereRef('b.tenant', '=', 'removed.tenant')
        .whereRef('b.session', '=', 'removed.session'),
    )
    .selectFrom('removed')
    .select('session'),
)

/** A position before the first row: the end of the year 9999. */
const FIRST_US = 253_402_300_799_000_000n

/**
 * The position in a cursor; `undefined` if it is invalid.
 *
 * @param to ms since the epoch: the list goes on behind it, wherever the cursor is
 */
export function placeOf(
  cursor: string | undefined,
  to: number | undefined,
): { readonly us: string; readonly session: string } | undefined {
  const [, at = '', session = ''] =
    cursor === undefined
      ? [cursor, String(FIRST_US)]
      : (/^(\d{1,18})\.(.+)$/.exec(Buffer.from(cursor, 'base64url').toString()) ?? [])
  if (at === '') return undefined
  const end = to === undefined ? FIRST_US : BigInt(to) * 1_000n
  return end < BigInt(at) ? { us: String(end), session: '' } : { us: at, session }
}

export const cursorOf = (row: Columns): string =>
  Buffer.from(`${row.updated_us}.${row.session}`).toString('base64url')

export const sessionOf = (row: Columns): SessionRow => ({
  session: sessionId(row.session),
  kind: row.kind,
  title: row.title,
  tags: row.tags,
  principal: row.principal,
  status: row.status,
  messageCount: row.message_count,
  inputTokens: row.input_tokens,
  outputTokens: row.output_tokens,
  model: row.model ?? undefined,
  provider: row.provider ?? undefined,
  // written by COMMIT
  lastEnd: row.last_end === null ? undefined : (parseExact(row.last_end) as LastEnd),
  cost: row.cost ?? undefined,
  parent: row.parent === null ? undefined : sessionId(row.parent),
  forkedAt: row.fork_at ?? undefined,
  createdAt: row.created_ms,
  updatedAt: row.updated_ms,
  head: row.head,
  state: row.state,
  meta: row.meta,
  unknownEffects: row.unknown_effects,
  ...(row.set_aside !== null && { setAside: row.set_aside }),
  ...(row.standing !== null && { standing: row.standing }),
})
