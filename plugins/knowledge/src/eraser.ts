import { ok, type Eraser } from '@amodal/sdk'
import { runIn } from '@amodal/sdk/database'
import { ERASE } from './statements.ts'

/** Documents that came out of sessions of a person. */
export const eraser: Eraser = {
  async erase({ sessions }, run) {
    const gone = await runIn(run, ERASE({ sessions: JSON.stringify(sessions) }))
    return ok({ removed: gone.length, unknown: 0, tables: ['knowledge_document'] })
  },
}
