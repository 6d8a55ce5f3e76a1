import { ok, type Eraser } from '@amodal/sdk'
import { runIn } from '@amodal/sdk/database'
import { ERASE } from './statements.ts'

/** Rows of a person's runs, and of all runs in their sessions. */
export const eraser: Eraser = {
  async erase({ principal, tenant = null, sessions }, run) {
    const removed = await runIn(
      run,
      ERASE({ principal, tenant, sessions: JSON.stringify(sessions) }),
    )
    return ok({ removed: removed.length, unknown: 0, tables: ['usage_run'] })
  },
}
