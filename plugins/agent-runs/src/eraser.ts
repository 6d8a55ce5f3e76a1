import { ok, type Eraser } from '@amodal/sdk'
import { runIn, sql, statement } from '@amodal/sdk/database'
import { db } from './tables.ts'

interface Person {
  readonly principal: string
  /** `null`: of all tenants. */
  readonly tenant: string | null
}

const RUNS = statement(({ principal, tenant }: Person) =>
  db
    .deleteFrom('agent_runs_run')
    .where('principal', '=', principal)
    .where(sql<boolean>`tenant = coalesce(${tenant}::text, tenant)`)
    .returning('session'),
)
const ARTIFACTS = statement(({ principal, tenant }: Person) =>
  db
    .deleteFrom('agent_runs_artifact')
    .where('principal', '=', principal)
    .where(sql<boolean>`tenant = coalesce(${tenant}::text, tenant)`)
    .returning('id'),
)
/** Contents that no version has any more. */
const CONTENTS = statement(() =>
  db
    .deleteFrom('agent_runs_content as c')
    .where((eb) =>
      eb.not(
        eb.exists(
          eb
            .selectFrom('agent_runs_artifact as a')
            .select('a.id')
            .whereRef('a.tenant', '=', 'c.tenant')
            .whereRef('a.hash', '=', 'c.hash'),
        ),
      ),
    )
    .returning('c.hash'),
)

/** What a person asked for, and what was made for them. */
export const eraser: Eraser = {
  async erase({ principal, tenant }, run) {
    const person = { principal, tenant: tenant ?? null }
    const runs = await runIn(run, RUNS(person))
    const artifacts = await runIn(run, ARTIFACTS(person))
    await runIn(run, CONTENTS())
    return ok({
      removed: runs.length + artifacts.length,
      unknown: 0,
      tables: ['agent_runs_run', 'agent_runs_artifact', 'agent_runs_content'],
    })
  },
}
