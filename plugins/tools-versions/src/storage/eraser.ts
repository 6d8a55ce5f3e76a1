import { ok, type Eraser } from '@amodal/sdk'
import { runIn } from '@amodal/sdk/database'
import { ERASE_CREATORS, ERASE_INVOCATIONS, ERASE_TOOL_CREATORS } from './invocation-statements.ts'

/** What a person or their sessions ran, and their name at what they published. */
export const eraser: Eraser = {
  async erase({ principal, tenant = null, sessions }, run) {
    const person = { principal, tenant }
    const removed = [
      ...(await runIn(run, ERASE_INVOCATIONS({ ...person, sessions: JSON.stringify(sessions) }))),
      ...(await runIn(run, ERASE_CREATORS(person))),
      ...(await runIn(run, ERASE_TOOL_CREATORS(person))),
    ]
    return ok({
      removed: removed.length,
      unknown: 0,
      tables: ['tools_versions_invocation', 'tools_versions_tool', 'tools_versions_version'],
    })
  },
}
