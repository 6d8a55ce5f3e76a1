import { ok, type Eraser } from '@amodal/sdk'
import { runIn } from '@amodal/sdk/database'
import { ERASE, IS_KEPT } from './statements.ts'

/** Erases documents that were approved in sessions of a person. */
export const eraser: Eraser = {
  async erase({ sessions }, run) {
    const [table] = await runIn(run, IS_KEPT())
    if (table?.kept !== true) return ok({ removed: 0, unknown: 0, tables: [] })
    const gone = await runIn(run, ERASE({ sessions: JSON.stringify(sessions) }))
    return ok({ removed: gone.length, unknown: 0, tables: ['knowledge_document'] })
  },
}
