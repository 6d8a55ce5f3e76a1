import type {
  AgentState,
  CallId,
  CallState,
  EffectInDoubt,
  StoredState,
  SequencedEntry,
  RunId,
  RunRecord,
} from '@amodal/sdk'
import { effectKeyOf } from '../tool-calls/effect-key.ts'

/** The effects in doubt after an interruption of a call, from its intent. */
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
            key: effectKeyOf(run, call),
            keyed: entry.keyed,
            ...(entry.target ? { target: entry.target } : {}),
            args: entry.args,
          },
        ]
      : [],
  )
}

/** How a run resumes from its last commit. `unknown`: effects in flight that may have happened. */
export interface Recovery {
  readonly state: AgentState
  readonly unknown: readonly CallState[]
}

/**
 * Model calls and read-only calls are repeated. An effect in flight is repeated only if its target
 * recognizes repeats by their key.
 */
export function recover(
  { record, state }: Extract<StoredState, { kind: 'run' }>,
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
 * Counts a crash in the record of the run, for people; recovery decides by the count in the session
 * store.
 */
export function withCrashCounted(record: RunRecord, now: number): RunRecord {
  const { count, since } = record.recovery
  return { ...record, recovery: { count: count + 1, since: count === 0 ? now : since } }
}
