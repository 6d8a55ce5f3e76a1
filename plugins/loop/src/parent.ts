import {
  type Failure,
  type LaneRef,
  type LaneState,
  type Result,
  type SessionStore,
  stateOf,
} from '@amodal/sdk'
import { childrenOf } from '@amodal/sdk/loop'

type Ask = <T>(
  work: (store: SessionStore, signal: AbortSignal) => Promise<Result<T, Failure>>,
) => Promise<Result<T, Failure>>

/**
 * The session that a sub-agent works for, and whether it still waits for it; nothing where there is
 * none, or where that cannot be read.
 */
export async function parentOf(
  child: LaneRef,
  ask: Ask,
): Promise<
  { readonly ref: LaneRef; readonly state: LaneState; readonly waits: boolean } | undefined
> {
  const row = await ask((store, signal) => store.row(child, signal))
  if (!row.ok || row.value?.parent === undefined) return undefined
  const ref = { tenant: child.tenant, session: row.value.parent }
  const lane = await ask((store, signal) => store.lane(ref, signal))
  if (!lane.ok || !lane.value) return undefined
  const state = stateOf(lane.value)
  return { ref, state, waits: childrenOf(state).some((one) => one.child === child.session) }
}
