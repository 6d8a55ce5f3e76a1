import type {
  AgentState,
  CallId,
  CallState,
  EffectInDoubt,
  LeaseState,
  SequencedEntry,
  RunId,
  RunRecord,
} from '@amodal/sdk'

/** What a target knows a repeat of a call by: the same on every try. */
export const keyOf = (run: RunId, call: CallId): string => `${run}:${call}`

/** What is known of an effect that was in flight when its process died: its intent. */
export function doubtsOf(
  call: CallId,
  run: RunId,
  entries: readonly SequencedEntry[],
): readonly EffectInDoubt[] {
  return entries.flatMap((entry) =>
    entry.kind === 'tool_intent' && entry.run === run && entry.call === call
      ? [
          {
            call,
            name: entry.name,
            key: keyOf(run, call),
            keyed: entry.keyed,
            ...(entry.target ? { target: entry.target } : {}),
            args: entry.args,
          },
        ]
      : [],
  )
}

/**
 * How a run goes on from its last commit. `unknown`: effects in flight that may or may not have
 * happened.
 */
export interface Recovery {
  readonly state: AgentState
  readonly unknown: readonly CallState[]
}

/**
 * Model calls are made again; a read-only call has left no trace and is made again; an effect in
 * flight is made again where its target drops a repeat, and otherwise never.
 */
export function recover(
  { record, state }: Extract<LeaseState, { kind: 'run' }>,
  entries: readonly SequencedEntry[],
): Recovery {
  if (state.kind === 'streaming')
    return { state: { kind: 'thinking', step: state.step }, unknown: [] }
  if (!('calls' in state)) return { state, unknown: [] }
  const keyed = (id: CallId): boolean =>
    entries.some(
      (entry) =>
        entry.kind === 'tool_intent' &&
        entry.run === record.run &&
        entry.call === id &&
        entry.keyed,
    )
  const unknown = state.calls.filter(({ id, phase }) => phase === 'running' && !keyed(id))
  return {
    state: {
      ...state,
      calls: state.calls.map((call) =>
        unknown.includes(call) ? { ...call, phase: 'settled' } : call,
      ),
    },
    unknown,
  }
}

/**
 * One more crash that the run has been through. They are for people to read: what decides is
 * counted in the session store.
 */
export function counted(record: RunRecord, now: number): RunRecord {
  const { count, since } = record.recovery
  return { ...record, recovery: { count: count + 1, since: count === 0 ? now : since } }
}
