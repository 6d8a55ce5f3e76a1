import { ok, type Eraser } from '@amodal/sdk'
import { runIn } from '@amodal/sdk/database'
import { DROP_CONTENTS, ERASE_CLAIMS, ERASE_HOLDS, LOCK_OF } from './statements.ts'

/** Files of a person; those that others have sent as well stay theirs. */
export const eraser: Eraser = {
  async erase({ principal, tenant = null, sessions }, run) {
    const person = { principal, tenant }
    const locked = await runIn(run, LOCK_OF(person))
    await runIn(run, ERASE_HOLDS({ ...person, sessions: JSON.stringify(sessions) }))
    const claims = await runIn(run, ERASE_CLAIMS(person))
    await runIn(run, DROP_CONTENTS({ assets: JSON.stringify(locked) }))
    return ok({
      removed: claims.length,
      unknown: 0,
      tables: ['assets_content', 'assets_chunk', 'assets_claim', 'assets_hold', 'assets_removal'],
    })
  },
}
