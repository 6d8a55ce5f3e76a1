import { sql, statement } from '@amodal/sdk/database'
import { db } from './tables.ts'

interface Person {
  readonly principal: string
  /** All tenants: `null`. */
  readonly tenant: string | null
}

export interface OwnRow {
  readonly tenant: string
  readonly session: string
  /** An instance runs it, or can run it without further input. */
  readonly active: boolean
  readonly runs: readonly (string | null)[]
}

/** Sessions of a person, with their forks and the sessions of their sub-agents. */
export const OWN = statement(({ principal, tenant }: Person) =>
  db
    .withRecursive('own(tenant, session)', (within) =>
      within
        .selectFrom('sessions_lane')
        .select(['tenant', 'session'])
        .where('principal', '=', principal)
        .where(sql<boolean>`(${tenant}::text is null or tenant = ${tenant})`)
        .union(
          within
            .selectFrom('sessions_lane as l')
            .innerJoin('own', (join) =>
              join.onRef('l.tenant', '=', 'own.tenant').onRef('l.parent', '=', 'own.session'),
            )
            .select(['l.tenant', 'l.session']),
        ),
    )
    .selectFrom('own')
    .innerJoin('sessions_lane as l', (join) =>
      join.onRef('l.tenant', '=', 'own.tenant').onRef('l.session', '=', 'own.session'),
    )
    .select((eb) => [
      'l.tenant',
      'l.session',
      sql<boolean>`(l.owner is not null or l.controls > 0 or (l.messages > 0 and not l.parked))`.as(
        'active',
      ),
      eb
        .selectFrom('sessions_entry as j')
        .select(
          sql<OwnRow['runs']>`coalesce(array_agg(distinct j.body::jsonb ->> 'run'), '{}')`.as(
            'runs',
          ),
        )
        .whereRef('j.lane', '=', 'l.lane')
        .$asScalar()
        .$notNull()
        .as('runs'),
    ])
    .orderBy('l.tenant')
    .orderBy('l.session')
    .forUpdate('l')
    .$castTo<OwnRow>(),
)

/** Messages and answers of a person in sessions of others. */
export const ELSEWHERE = statement(({ principal, tenant }: Person) =>
  db
    .selectFrom('sessions_entry as j')
    .innerJoin('sessions_lane as l', 'l.lane', 'j.lane')
    .select(sql<number>`count(*)::int`.as('n'))
    .where(sql<boolean>`(${tenant}::text is null or l.tenant = ${tenant})`)
    .where(sql<boolean>`j.body like '%' || ${principal} || '%'`)
    .where(sql<boolean>`j.body::jsonb ->> 'principal' = ${principal}`),
)

interface Ref {
  readonly tenant: string
  readonly session: string
}

/** Sessions as rows; `sessions` is JSON. */
const sessionRows = (sessions: string) =>
  sql<Ref>`jsonb_to_recordset(${sessions}::jsonb)`.as<'erased'>(
    sql`erased(tenant text collate "C", session text collate "C")`,
  )

export const ERASE_INBOX = statement(({ sessions }: { sessions: string }) =>
  db
    .deleteFrom('sessions_inbox as b')
    .using(sessionRows(sessions))
    .whereRef('b.tenant', '=', 'erased.tenant')
    .whereRef('b.session', '=', 'erased.session'),
)

export const ERASE_JOURNAL = statement(({ sessions }: { sessions: string }) =>
  db
    .deleteFrom('sessions_journal as b')
    .using(sessionRows(sessions))
    .using('sessions_lane as l')
    .whereRef('l.tenant', '=', 'erased.tenant')
    .whereRef('l.session', '=', 'erased.session')
    .whereRef('b.lane', '=', 'l.lane'),
)

export const ERASE_SESSIONS = statement(({ sessions }: { sessions: string }) =>
  db
    .deleteFrom('sessions_lane as b')
    .using(sessionRows(sessions))
    .whereRef('b.tenant', '=', 'erased.tenant')
    .whereRef('b.session', '=', 'erased.session')
    .returning('b.session'),
)
