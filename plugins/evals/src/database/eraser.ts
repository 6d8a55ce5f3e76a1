import { ok, type Eraser } from '@amodal/sdk'
import { runIn, sql, statement } from '@amodal/sdk/database'
import { SETUP, TESTER } from '../trial/trial-parts.ts'
import { db } from '../tables.ts'

interface Person {
  readonly principal: string
  /** `null`: of all tenants. */
  readonly tenant: string | null
}

const RUNS = statement(({ principal, tenant }: Person) =>
  db
    .deleteFrom('evals_run')
    .where('principal', '=', principal)
    .where(sql<boolean>`tenant = coalesce(${tenant}::text, tenant)`)
    .returning(['tenant', 'id']),
)

/** Of runs, each as JSON of `{ tenant, id }`. */
const RESULTS = statement(
  ({ runs }: { runs: string }) => sql<{ readonly run: string }>`
delete from evals_result r using jsonb_to_recordset(${runs}::jsonb) x(tenant text, id text)
where r.tenant = x.tenant and r.run = x.id returning r.run`,
)

const JUDGEMENTS = statement(({ principal, tenant }: Person) =>
  db
    .deleteFrom('evals_judgement')
    .where('principal', '=', principal)
    .where(sql<boolean>`tenant = coalesce(${tenant}::text, tenant)`)
    .returning('key'),
)

/** Runs that a person has started, with their results and what judges replied. */
export const eraser: Eraser = {
  // Documents that cases begin with are written in no session of their own.
  sessions: async ({ principal, tenant }) =>
    ok(
      principal === TESTER && tenant !== undefined
        ? [{ tenant, session: SETUP.session, runs: [SETUP.run] }]
        : [],
    ),
  async erase({ principal, tenant }, run) {
    const person = { principal, tenant: tenant ?? null }
    const runs = await runIn(run, RUNS(person))
    const results = await runIn(run, RESULTS({ runs: JSON.stringify(runs) }))
    const judgements = await runIn(run, JUDGEMENTS(person))
    return ok({
      removed: runs.length + results.length + judgements.length,
      unknown: 0,
      tables: ['evals_run', 'evals_result', 'evals_judgement'],
    })
  },
}
