import { ok, type Eraser } from '@amodal/sdk'
import { runIn } from '@amodal/sdk/database'
import { ERASE } from './statements.ts'

/** Erases the notes of a person, and those that they wrote for their tenant. */
export const eraser: Eraser = {
  async erase({ principal, tenant }, run) {
    const gone = await runIn(run, ERASE({ principal, tenant: tenant ?? null }))
    return ok({ removed: gone.length, unknown: 0, tables: ['memory_note'] })
  },
}
