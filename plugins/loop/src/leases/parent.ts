import { type SessionRef, type StoredState, stateOf } from '@amodal/sdk'
import { childrenOf } from '@amodal/sdk/loop'
import type { StoreCall } from './environment.ts'

/**
 * The parent of a sub-agent's session, and whether it still waits for the sub-agent; `undefined` if
 * there is none or it cannot be read.
 */
export async function parentOf(
  child: SessionRef,
  callStore: StoreCall,
): Promise<
  { readonly ref: SessionRef; readonly state: StoredState; readonly waits: boolean } | undefined
> {
  const row = await callStore((store, signal) => store.row(child, signal))
  if (!row.ok || row.value?.parent === undefined) return undefined
  const ref = { tenant: child.tenant, session: row.value.parent }
  const sessionRecord = await callStore((store, signal) => store.sessionRecord(ref, signal))
  if (!sessionRecord.ok || !sessionRecord.value) return undefined
  const state = stateOf(sessionRecord.value)
  return { ref, state, waits: childrenOf(state).some((one) => one.child === child.session) }
}

/**
 * Whether a sub-agent was called by a tool of a run that has not ended. Such a call is in no state
 * of its parent: it is a part of the call of the tool.
 *
 * @param key of the message that began the sub-agent
 */
export function isCalledByTool(key: string, parent: StoredState): boolean {
  const run = /dispatch:(.+):[^:]+\/\d+$/.exec(key)?.[1]
  return parent.kind === 'run' && parent.record.run === run && parent.state.kind !== 'done'
}
