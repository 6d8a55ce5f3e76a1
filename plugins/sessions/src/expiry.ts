import { sql, statement, type RawBuilder } from '@amodal/sdk/database'
import { NEEDED } from './session-row.ts'
import { db } from './tables.ts'

/** Nobody is at it and nothing waits. */
const QUIET = sql<boolean>`r.owner is null and r.messages = 0 and r.controls = 0 and r.set_aside is null`

/** A time that lies so many ms back. */
const ago = (ms: number | RawBuilder<number>): RawBuilder<Date> =>
  sql<Date>`clock_timestamp() - ${ms}::float8 * interval '1 ms'`

// As text of the statement: a partial index fits no parameter.
const OPEN = sql<boolean>`status <> 'expired'`

/** The tenants with open sessions, one step along the index each. */
const tenants = () =>
  db.withRecursive('t(tenant)', (within) =>
    within
      .selectFrom(
        within
          .selectFrom('sessions_lane')
          .select('tenant')
          .where(OPEN)
          .orderBy('tenant')
          .limit(sql.lit(1))
          .as('first'),
      )
      .select(sql<string | null>`tenant`.as('tenant'))
      .unionAll(
        within
          .selectFrom('t')
          .select((eb) =>
            eb
              .selectFrom('sessions_lane as n')
              .select('n.tenant')
              .where(OPEN)
              .whereRef('n.tenant', '>', 't.tenant')
              .orderBy('n.tenant')
              .limit(sql.lit(1))
              .as('tenant'),
          )
          .where('t.tenant', 'is not', null),
      ),
  )

/**
 * The oldest of each tenant. Lanes that somebody is at are left for the next time.
 */
const oldest = (which: RawBuilder<boolean>, limit: number) =>
  tenants().with(
    (name) => name('old').materialized(),
    (within) =>
      within
        .selectFrom('t')
        .crossJoinLateral((eb) =>
          eb
            .selectFrom('sessions_lane as r')
            .select(['r.tenant', 'r.session'])
            .whereRef('r.tenant', '=', 't.tenant')
            .where(OPEN)
            .where(QUIET)
            .where(which)
            .orderBy('r.updated_at')
            .limit(limit)
            .forUpdate()
            .skipLocked()
            .as('old'),
        )
        .select(['old.tenant', 'old.session'])
        .limit(limit),
  )

/** @param ttlMs without a message */
export const TO_IDLE = statement(({ ttlMs, limit }: { ttlMs: number; limit: number }) =>
  oldest(sql<boolean>`r.status = 'active' and r.updated_at < ${ago(ttlMs)}`, limit)
    .updateTable('sessions_lane as r')
    .from('old')
    .set({ status: 'idle', idle_at: sql<Date>`clock_timestamp()` })
    .whereRef('r.tenant', '=', 'old.tenant')
    .whereRef('r.session', '=', 'old.session')
    .returning(['r.tenant', 'r.session']),
)

interface LockIdle {
  /** Of being idle. */
  readonly ttlMs: number
  readonly limit: number
  /** For those that wait for a person. */
  readonly parkedTtlMs: number
}

/**
 * Whoever shows the entries of a session in a fork keeps it idle. The rows stay locked for
 * {@link EXPIRE}.
 */
export const LOCK_IDLE = statement(({ ttlMs, limit, parkedTtlMs }: LockIdle) => {
  const kept = sql<number>`case when r.parked then greatest(${ttlMs}::float8, ${parkedTtlMs}::float8) else ${ttlMs}::float8 end`
  return oldest(
    sql<boolean>`r.status = 'idle' and not ${NEEDED} and r.idle_at < ${ago(sql`(${kept})`)}`,
    limit,
  )
    .selectFrom('old')
    .select(['tenant', 'session'])
})

interface Ref {
  readonly tenant: string
  readonly session: string
}

/**
 * Asks again whether a fork needs them: one may have been made before the lock came.
 *
 * @param rows of {@link LOCK_IDLE} as JSON
 * @param state of a lane at rest
 */
export const EXPIRE = statement(({ rows, state }: { rows: string; state: string }) =>
  db
    .with('gone', (within) =>
      within
        .updateTable('sessions_lane as r')
        .from(
          sql<Ref>`jsonb_to_recordset(${rows}::jsonb)`.as<'x'>(
            sql`x(tenant text collate "C", session text collate "C")`,
          ),
        )
        .set({ status: 'expired', state, parked: false, due: null })
        .whereRef('r.tenant', '=', 'x.tenant')
        .whereRef('r.session', '=', 'x.session')
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
    .select(['tenant', 'session']),
)

/** The tenants with items that were answered, as {@link tenants}. */
const answered = () =>
  db.withRecursive('t(tenant)', (within) =>
    within
      .selectFrom(
        within
          .selectFrom('sessions_inbox')
          .select('tenant')
          .where((eb) => eb.ref('taken'))
          .orderBy('tenant')
          .limit(sql.lit(1))
          .as('first'),
      )
      .select(sql<string | null>`tenant`.as('tenant'))
      .unionAll(
        within
          .selectFrom('t')
          .select((eb) =>
            eb
              .selectFrom('sessions_inbox as n')
              .select('n.tenant')
              .where((eb) => eb.ref('n.taken'))
              .whereRef('n.tenant', '>', 't.tenant')
              .orderBy('n.tenant')
              .limit(sql.lit(1))
              .as('tenant'),
          )
          .where('t.tenant', 'is not', null),
      ),
  )

/** Items that were answered so many ms ago: their keys are forgotten. */
export const FORGET_KEYS = statement(({ ttlMs, limit }: { ttlMs: number; limit: number }) =>
  answered()
    .with(
      (name) => name('old').materialized(),
      (within) =>
        within
          .selectFrom('t')
          .crossJoinLateral((eb) =>
            eb
              .selectFrom('sessions_inbox as r')
              .select(['r.tenant', 'r.session', 'r.key'])
              .whereRef('r.tenant', '=', 't.tenant')
              .where((eb) => eb.ref('r.taken'))
              .where('r.at', '<', ago(ttlMs))
              .orderBy('r.at')
              .limit(limit)
              .forUpdate()
              .skipLocked()
              .as('old'),
          )
          .select(['old.tenant', 'old.session', 'old.key'])
          .limit(limit),
    )
    .deleteFrom('sessions_inbox as r')
    .using('old')
    .whereRef('r.tenant', '=', 'old.tenant')
    .whereRef('r.session', '=', 'old.session')
    .whereRef('r.key', '=', 'old.key'),
)
