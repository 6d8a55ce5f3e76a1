import { ok, type Eraser } from '@amodal/sdk'
import { runIn } from '@amodal/sdk/database'
import { ERASE, IS_KEPT } from './statements.ts'

/**
 * What the key of a person is called; the key itself stays, revoked: one that is gone could be made
 * again.
 */
export const eraser: Eraser = {
  async erase({ principal, tenant }, run) {
    const [table] = await runIn(run, IS_KEPT())
    if (table?.kept !== true) return ok({ removed: 0, unknown: 0, tables: [] })
    const gone = await runIn(run, ERASE({ principal, tenant: tenant ?? null }))
    return ok({ removed: gone.length, unknown: 0, tables: ['auth_key'] })
  },
}
