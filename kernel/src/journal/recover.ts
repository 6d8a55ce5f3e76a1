import type { AgentState, CallState, LaneState, RunRecord } from '../loop/state.ts'
import type { Placed } from './entry.ts'

/** How often and how long one run is picked up again before it ends with an error. */
export const RECOVERY_TRIES = 10
export const RECOVERY_MS = 3_600_000

export interface Interrupted { readonly call: CallState; readonly intent: Extract<Placed, { kind: 'tool_intent' }> }

/** What a crash left behind. `interrupted`: effects that may or may not have happened. */
export interface Recovery {
  readonly record: RunRecord
  readonly state: AgentState
  readonly interrupted: readonly Interrupted[]
  readonly gaveUp: boolean
}

/**
 * Decides how a run goes on from its last commit. Model calls are made again; a read-only call has left
 * no trace and is made again; an effect in flight is reported, for the executor knows whether it may be repeated.
 */
export function recover(lane: Extract<LaneState, { kind: 'run' }>, entries: readonly Placed[], now: number): Recovery {
  const { record } = lane
  const since = record.recovery.count === 0 ? now : record.recovery.since
  const count = record.recovery.count + 1
  const calls = 'calls' in lane.state ? lane.state.calls : []
  const interrupted = calls.flatMap((call) => {
    if (call.phase !== 'running') return []
    const intent = entries.findLast((entry) => entry.kind === 'tool_intent' && entry.run === record.run && entry.call === call.id)
    return intent?.kind === 'tool_intent' ? [{ call, intent }] : []
  })
  return {
    record: { ...record, recovery: { count, since } },
    state: lane.state.kind === 'streaming' ? { kind: 'thinking', step: lane.state.step } : lane.state,
    interrupted,
    gaveUp: count > RECOVERY_TRIES || now - since > RECOVERY_MS,
  }
}
