import type { AgentState, CallId, CallState, LaneState, Placed, RunRecord } from '@amodal/sdk'

/** How often and how long one run is picked up again before it ends with an error. */
export const RECOVERY_TRIES = 10
export const RECOVERY_MS = 3_600_000

/** How a run goes on from its last commit. `unknown`: effects in flight that may or may not have happened. */
export interface Recovery { readonly state: AgentState; readonly unknown: readonly CallState[] }

/**
 * Model calls are made again; a read-only call has left no trace and is made again; an effect in flight is made
 * again where its target drops a repeat, and otherwise never.
 */
export function recover({ record, state }: Extract<LaneState, { kind: 'run' }>, entries: readonly Placed[]): Recovery {
  if (state.kind === 'streaming') return { state: { kind: 'thinking', step: state.step }, unknown: [] }
  if (!('calls' in state)) return { state, unknown: [] }
  const keyed = (id: CallId): boolean => entries.some((entry) => entry.kind === 'tool_intent' && entry.run === record.run && entry.call === id && entry.keyed)
  const unknown = state.calls.filter(({ id, phase }) => phase === 'running' && !keyed(id))
  return { state: { ...state, calls: state.calls.map((call) => (unknown.includes(call) ? { ...call, phase: 'settled' } : call)) }, unknown }
}

/** One more time that the run is picked up after a crash. */
export function counted(record: RunRecord, now: number): { readonly record: RunRecord; readonly gaveUp: boolean } {
  const { count, since } = record.recovery
  const recovery = { count: count + 1, since: count === 0 ? now : since }
  return { record: { ...record, recovery }, gaveUp: recovery.count > RECOVERY_TRIES || now - recovery.since > RECOVERY_MS }
}
