import { sessionId, type LastEnd, type LaneRef, type SessionRow } from '@amodal/sdk'
import { sql, statement, type Selectable } from '@amodal/sdk/database'
import { db, type Tables } from './tables.ts'
import { IS_SUBAGENT } from './totals.ts'

const COLUMNS = [
  'session',
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
  sql<number>`(extract(epoch from created_at) * 1000)::bigint`.as('created_ms'),
  sql<number>`(extract(epoch from updated_at) * 1000)::bigint`.as('updated_ms'),
  sql<number>`(extract(epoch from updated_at) * 1000000)::bigint`.as('updated_us'),
] as const

type Columns = Pick<Selectable<Tables['sessions_lane']>, (typeof COLUMNS)[number]> & {
  readonly created_ms: number
  readonly updated_ms: number
  readonly updated_us: number
}

// As text of the statement: a partial index fits no parameter.
const [ACTIVE_OR_IDLE, EXPIRED] = [
  sql<boolean>`status <> 'expired'`,
  sql<boolean>`status = 'expired'`,
]

/** Whose, or everybody's where nobody is named. */
const of = (principal: string | undefined) =>
  sql<boolean>`(${principal}::text is null or principal = ${principal})`

const lane = ({ tenant, session }: LaneRef) =>
  db.selectFrom('sessions_lane').where('tenant', '=', tenant).where('session', '=', session)

export const ROW = statement((ref: LaneRef) => lane(ref).select(COLUMNS).select(TIMES))

interface List {
  readonly tenant: string
  /** The place to go on from: µs since the epoch, and a session. */
  readonly us: string
  readonly session: string
  readonly limit: number
  /** Whose; everybody's where nobody is named. */
  readonly principal: string | undefined
  /** With those of sub-agents. */
  readonly subagents: boolean
  /** Those that wait for a person, or those that do not. */
  readonly waiting: boolean | undefined
  /** With all of these. */
  readonly tags: readonly string[] | undefined
}

/**
 * Newest first. The two halves have an index each; whose they are is looked at on the way, so that
 * a commit need not keep a third index.
 */
export const LIST = statement((list: List) => {
  const { tenant, us, session, limit, principal, subagents, waiting, tags } = list
  const half = (which: typeof EXPIRED) =>
    db
      .selectFrom('sessions_lane')
      .selectAll()
      .where('tenant', '=', tenant)
      .where(which)
      .where(of(principal))
      .where(sql<boolean>`(${subagents}::bool or not ${IS_SUBAGENT})`)
      .where(sql<boolean>`(${waiting}::bool is null or parked = ${waiting})`)
      .where(sql<boolean>`(${tags}::text[] is null or tags @> ${tags})`)
      .where(
        sql<boolean>`(updated_at, session) < (timestamptz 'epoch' + ${us}::bigint * interval '1 microsecond', ${session})`,
      )
      .orderBy('updated_at', 'desc')
      .orderBy('session', 'desc')
      .limit(limit)
  return db
    .selectFrom(
      db
        .selectFrom(half(ACTIVE_OR_IDLE).as('others'))
        .selectAll()
        .unionAll(db.selectFrom(half(EXPIRED).as('expired')).selectAll())
        .as('both_halves'),
    )
    .select(COLUMNS)
    .select(TIMES)
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
    .where('tenant', '=', tenant)
    .where(sql<boolean>`(set_aside is not null or unknown_effects > 0)`)
    .where(ACTIVE_OR_IDLE)
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
    .where(ACTIVE_OR_IDLE)
    .where(of(principal))
    .where((eb) => eb.not(IS_SUBAGENT)),
)

interface New extends LaneRef {
  readonly principal: string
  readonly title: string
  readonly meta: string
  readonly state: string
}

/**
 * The update changes nothing: it makes a repetition wait for its first try and see what that wrote
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
      }))
      .onConflict((conflict) =>
        conflict
          .columns(['tenant', 'session'])
          .doUpdateSet((eb) => ({ request: eb.ref('sessions_lane.request') })),
      )
      .returning([sql<boolean>`xmax = 0`.as('fresh'), 'request']),
)

interface Change extends LaneRef {
  readonly title: string | undefined
  readonly tags: readonly string[] | undefined
  readonly meta: string | undefined
}

/** What is not said stays. */
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
 * The lock on the parent keeps it from being removed meanwhile. The same fork again finds itself.
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
  }: New & { child: string; at: number }) =>
    db
      .with(
        (name) => name('p').materialized(),
        () =>
          lane({ tenant, session })
            .select(['tenant', 'session'])
            .where(ACTIVE_OR_IDLE)
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

/** A session whose entries another one still shows. `r` is the row asked about. */
export const NEEDED = sql<boolean>`exists (${db
  .selectFrom('sessions_lane as f')
  .select('f.session')
  .where('f.tenant', '=', sql.ref<string>('r.tenant'))
  .where('f.parent', '=', sql.ref<string>('r.session'))
  .where('f.fork_at', '>', sql.lit(0))
  .where(sql<boolean>`f.status <> 'expired'`)})`

/**
 * First locked, then looked at again: what was forked before the lock came is seen only by a later
 * statement.
 */
export const LOCK_AT_REST = statement((ref: LaneRef) =>
  lane(ref)
    .select('session')
    .where(
      sql<boolean>`owner is null and controls = 0 and (messages = 0 or parked) and set_aside is null`,
    )
    .forUpdate(),
)

export const REMOVE = statement(({ tenant, session }: LaneRef) =>
  db
    .with('gone', (within) =>
      within
        .deleteFrom('sessions_lane as r')
        .where('r.tenant', '=', tenant)
        .where('r.session', '=', session)
        .where((eb) => eb.not(NEEDED))
        .returning(['r.tenant', 'r.session']),
    )
    .with('j', (within) =>
      within
        .deleteFrom('sessions_journal as b')
        .using('gone')
        .whereRef('b.tenant', '=', 'gone.tenant')
        .whereRef('b.session', '=', 'gone.session'),
    )
    .with('i', (within) =>
      within
        .deleteFrom('sessions_inbox as b')
        .using('gone')
        .whereRef('b.tenant', '=', 'gone.tenant')
        .whereRef('b.session', '=', 'gone.session'),
    )
    .selectFrom('gone')
    .select('session'),
)

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

export const cursorOf = (row: Columns): string =>
  Buffer.from(`${row.updated_us}.${row.session}`).toString('base64url')

export const sessionOf = (row: Columns): SessionRow => ({
  session: sessionId(row.session),
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
  lastEnd: row.last_end === null ? undefined : (JSON.parse(row.last_end) as LastEnd),
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
})
