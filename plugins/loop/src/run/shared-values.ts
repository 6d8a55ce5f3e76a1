import {
  err,
  failure,
  ok,
  type Failure,
  type JournalEntry,
  type JsonObject,
  type Result,
  type SharedValue,
} from '@amodal/sdk'
import { copiesOf, SHARED_STATE, SharedStates } from '@amodal/sdk/loop'
import type { LoopTurn } from './loop-turn.ts'
import { refusedInstead } from './session-changes.ts'
import type { StoreCall } from '../leases/environment.ts'

/** Copies of the shared values that have changed since the session last read them. */
export async function sharedCopies(
  turn: LoopTurn,
  callStore: StoreCall,
): Promise<Result<JsonObject, Failure>> {
  const states = [...turn.parts.generation.registry(SharedStates).values()]
  const names = new Set(states.flatMap((state) => state.names(turn.bundle)))
  if (names.size === 0) return ok({})
  const read = await callStore((store, signal) => store.shared(turn.tenant, signal))
  if (!read.ok) return read
  return ok(
    copiesOf(
      read.value.filter(
        ({ name, version }) => names.has(name) && version !== versionIn(turn.sessionState, name),
      ),
      SHARED_STATE,
    ),
  )
}

function versionIn(sessionState: JsonObject, name: string): number {
  const copy = sessionState[SHARED_STATE + name]
  return Array.isArray(copy) ? Number(copy[0]) : 0
}

/** Rebuilds an entry whose shared values have changed before its commit. */
export function rebased(
  turn: LoopTurn | undefined,
  entry: JournalEntry,
  now: readonly SharedValue[],
): Result<JournalEntry, Failure> {
  const conflict = err(failure('STORE_FAILED', 'a shared value has changed since it was read'))
  if (!turn || entry.kind !== 'note') return conflict
  // The history contains the entry before the rebase.
  turn.parts.history.stale = true
  for (const state of turn.parts.generation.registry(SharedStates).values()) {
    const rebasedNote = state.rebase(entry, now, turn)
    if (rebasedNote) return rebasedNote.ok ? rebasedNote : refusedInstead(entry, rebasedNote.error)
  }
  return conflict
}
