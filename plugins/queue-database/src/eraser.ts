import { ok, type Eraser } from '@amodal/sdk'
import { runIn, sql, statement } from '@amodal/sdk/database'
import { groupsOf, HEADS, LOCK_GROUPS } from './job-statements.ts'
import { db } from './tables.ts'

interface Erase {
  readonly principal: string
  /** Of all tenants where it is null. */
  readonly tenant: string | null
}

const ERASE = statement(({ principal, tenant }: Erase) =>
  db
    .deleteFrom('queue_database_job')
    .where('principal', '=', principal)
    .where(sql<boolean>`tenant = coalesce(${tenant}::text, tenant)`)
    .returning(['tenant', 'queue', 'grp']),
)

const GROUPS = statement(({ principal, tenant }: Erase) =>
  db
    .selectFrom('queue_database_job')
    .select(['tenant', 'queue', 'grp'])
    .where('principal', '=', principal)
    .where(sql<boolean>`tenant = coalesce(${tenant}::text, tenant)`),
)

/** Jobs that were published for a person. */
export const eraser: Eraser = {
  async erase({ principal, tenant }, run) {
    const of = { principal, tenant: tenant ?? null }
    const groups = groupsOf(await runIn(run, GROUPS(of)))
    if (groups !== undefined) await runIn(run, LOCK_GROUPS({ groups }))
    const gone = await runIn(run, ERASE(of))
    const left = groupsOf(gone)
    if (left !== undefined) await runIn(run, HEADS({ groups: left }))
    return ok({ removed: gone.length, unknown: 0, tables: ['queue_database_job'] })
  },
}
