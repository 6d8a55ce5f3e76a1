import { ok, type Eraser } from '@amodal/sdk'
import { runIn } from '@amodal/sdk/database'
import { ERASE_BLOBS, ERASE_SNAPSHOTS } from './statements.ts'

/** The workspaces of a person, and the contents of files that nobody else has. */
export const eraser: Eraser = {
  async erase({ principal, tenant = null }, run) {
    const snapshots = await runIn(run, ERASE_SNAPSHOTS({ principal, tenant }))
    const blobs = snapshots.length === 0 ? [] : await runIn(run, ERASE_BLOBS({ tenant }))
    return ok({
      removed: snapshots.length + blobs.length,
      unknown: 0,
      tables: ['workspace_blob', 'workspace_snapshot'],
    })
  },
}
