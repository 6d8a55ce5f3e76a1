import { ok, type Eraser } from '@amodal/sdk'
import { runIn } from '@amodal/sdk/database'
import { ERASE_EVENTS, ERASE_SNAPSHOTS } from '../statements.ts'

/** Their name in the list of who deployed what; the list itself stays. */
export const eraser: Eraser = {
  async erase({ principal, tenant }, run) {
    if (tenant !== undefined) return ok({ removed: 0, unknown: 0, tables: [] })
    const events = await runIn(run, ERASE_EVENTS({ principal }))
    const snapshots = await runIn(run, ERASE_SNAPSHOTS({ principal }))
    return ok({
      removed: events.length + snapshots.length,
      unknown: 0,
      tables: ['deploy_event', 'deploy_snapshot'],
    })
  },
}
