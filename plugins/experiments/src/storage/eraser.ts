import { ok, type Eraser } from '@amodal/sdk'
import { runIn } from '@amodal/sdk/database'
import { ERASE, FORGET_DECIDER } from './statements.ts'

/** Their runs in experiments, and their name on decisions. */
export const eraser: Eraser = {
  async erase({ principal, tenant = null, sessions }, run) {
    const removed = await runIn(
      run,
      ERASE({ principal, tenant, sessions: JSON.stringify(sessions) }),
    )
    const forgotten = await runIn(run, FORGET_DECIDER({ principal, tenant }))
    return ok({
      removed: removed.length + forgotten.length,
      unknown: 0,
      tables: ['experiments_run', 'experiments_decision'],
    })
  },
}
