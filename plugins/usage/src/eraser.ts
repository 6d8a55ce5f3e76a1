import { ok, type Eraser } from '@amodal/sdk'
import { runIn } from '@amodal/sdk/database'
import type { Forgotten } from './report.ts'
import { ERASE, ERASE_TENANT } from './statements.ts'

/** What counts runs, and forgets those that are erased before they are written. */
export interface Counter {
  forget(erased: Forgotten): void
  forgetTenant(tenant: string): void
}

/**
 * Removes the rows of a person's runs, and of all runs in their sessions; those that wait to be
 * written, too. A tenant of which nothing is left is no longer counted.
 */
export const eraserOf = (counting: Counter): Eraser => ({
  async erase({ principal, tenant = null, sessions }, run) {
    counting.forget({ principal, tenant, sessions })
    const removed = await runIn(
      run,
      ERASE({ principal, tenant, sessions: JSON.stringify(sessions) }),
    )
    if (tenant !== null) {
      const emptied = await runIn(run, ERASE_TENANT({ tenant }))
      if (emptied.length > 0) counting.forgetTenant(tenant)
    }
    return ok({ removed: removed.length, unknown: 0, tables: ['usage_run', 'usage_tenant'] })
  },
})
