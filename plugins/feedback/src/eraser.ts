import { ok, type Eraser } from '@amodal/sdk'
import { runIn } from '@amodal/sdk/database'
import { ERASE } from './statements.ts'

/** Their opinions, and the questions and answers of their sessions, whoever has rated them. */
export const eraser: Eraser = {
  async erase({ principal, tenant = null, sessions }, run) {
    const removed = await runIn(
      run,
      ERASE({ principal, tenant, sessions: JSON.stringify(sessions) }),
    )
    return ok({ removed: removed.length, unknown: 0, tables: ['feedback_entry'] })
  },
}
