import { err, failure, isObject, ok, type JsonObject, type SessionChange } from '@amodal/sdk'

import { STATE } from './session-folder.ts'
import type { SnapshottedWorkspaces } from './snapshotted-workspaces.ts'

/** Key of the plugin in `SessionChanges`. */
export const CHANGE = 'workspace'

/** Has the session go on with what its workspace was before a run. */
export const undo =
  (workspaces: SnapshottedWorkspaces): SessionChange =>
  async (change, { tenant, session, principal, sessionState, signal }) => {
    const run = isObject(change) ? change['run'] : undefined
    if (typeof run !== 'string') return err(failure('VALIDATION_ERROR', 'run: must be a text'))
    const store = workspaces.store(tenant)
    const around = await store.aroundRun(session, run, signal)
    if (!around.ok) return around
    const before = await store.find(around.value.before, signal)
    if (!before.ok) return before
    const current = sessionState[STATE]
    const parent = typeof current === 'string' ? current : null
    const added = await store.add(
      { session, principal, run: null, parent },
      before.value.manifest,
      new Map(),
      signal,
    )
    if (!added.ok) return added
    const data: JsonObject = { snapshot: added.value }
    return ok({
      text: `The workspace is as it was before ${run}.`,
      data,
      sessionState: { [STATE]: added.value },
    })
  }
