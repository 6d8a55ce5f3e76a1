import { ok, type Eraser } from '@amodal/sdk'
import { runIn, sql, statement } from '@amodal/sdk/database'
import { automationOf } from './run-state.ts'
import { db } from './tables.ts'

interface Erase {
  /** The automation whose principal is erased; empty for a person, who is none. */
  readonly automation: string
  /** `null`: of all tenants. */
  readonly tenant: string | null
  /** Sessions that are erased, as `TENANT/SESSION`. */
  readonly sessions: readonly string[]
}

const DELETE_RUNS = statement(({ automation, tenant, sessions }: Erase) =>
  db
    .deleteFrom('automations_run')
    .where(sql<boolean>`tenant = coalesce(${tenant}::text, tenant)`)
    .where(
      sql<boolean>`(automation = ${automation}::text
        or tenant || '/' || session = any(${sessions}::text[]))`,
    )
    .returning('id'),
)

/** What was sent of runs that are gone: their results. */
const DELETE_DELIVERIES = statement(({ runs }: { runs: readonly string[] }) =>
  db
    .deleteFrom('automations_delivery')
    .where(sql<boolean>`run = any(${runs}::text[])`)
    .returning('id'),
)

const DELETE_ATTEMPTS = statement(({ deliveries }: { deliveries: readonly string[] }) =>
  db
    .deleteFrom('automations_attempt')
    .where(sql<boolean>`delivery = any(${deliveries}::text[])`)
    .returning('n'),
)

/**
 * Runs whose sessions are erased, with their events, results and deliveries; for the principal of
 * an automation all of its runs. The ids of runs and deliveries are hashes with their tenant in
 * them, so that one names a single row.
 */
export const eraser: Eraser = {
  async erase({ principal, tenant, sessions }, run) {
    const gone = await runIn(
      run,
      DELETE_RUNS({
        automation: automationOf(principal) ?? '',
        tenant: tenant ?? null,
        sessions: sessions.map((one) => `${one.tenant}/${one.session}`),
      }),
    )
    const runs = gone.map(({ id }) => id)
    const sent = await runIn(run, DELETE_DELIVERIES({ runs }))
    const deliveries = sent.map(({ id }) => id)
    const attempts = await runIn(run, DELETE_ATTEMPTS({ deliveries }))
    return ok({
      removed: runs.length + deliveries.length + attempts.length,
      unknown: 0,
      tables: ['automations_run', 'automations_delivery', 'automations_attempt'],
    })
  },
}
