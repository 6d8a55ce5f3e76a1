import type {
  AgentEvent,
  DoneReason,
  Exit,
  JournalEntry,
  JsonObject,
  RunContext,
} from '@amodal/sdk'
import { ENTRY_VERSION } from '@amodal/sdk/loop'
import { declarationOf, type Declaration } from './declaration.ts'
import { diff } from './diff.ts'
import { committed, stagedOf } from './stored-state.ts'
import { seenIn, viewOf } from './view.ts'

/** A turn that ends otherwise changes nothing. */
const WELL: ReadonlySet<DoneReason> = new Set(['model_stop', 'max_turns'])

/** Once a turn ends well, what it has changed counts: in the commit that ends it. */
export function commitWithEnd(
  exit: Exit,
  ctx: RunContext,
  now: number,
  prepare: (pending: { readonly sessionState: JsonObject; readonly changes: JsonObject }) => void,
): Exit | undefined {
  const { to, entries } = exit
  if (to.kind !== 'done' || !WELL.has(to.reason) || to.error !== undefined) return undefined
  const declaration = declarationOf(ctx.bundle)
  if (!declaration) return undefined
  const { sessionState, run } = ctx
  const changes = stagedOf(entries.reduce(withEntry, sessionState), run)
  const change = changeOf(sessionState, declaration, changes)
  if (!change) return undefined
  prepare({ sessionState, changes })
  const note: JournalEntry = {
    v: ENTRY_VERSION.note,
    kind: 'note',
    run,
    at: now,
    code: 'state_changed',
    text: change.text,
    session_state: change.sessionState,
    events: change.events,
  }
  return { to, entries: [...entries, note] }
}

/** Outcomes of this very step are not in the history yet. */
const withEntry = (state: JsonObject, entry: JournalEntry): JsonObject =>
  (entry.kind === 'tool_outcome' || entry.kind === 'note') && entry.session_state
    ? { ...state, ...entry.session_state }
    : state

/** What the journal keeps of a change, and what readers of the stream are told. */
export function changeOf(
  sessionState: JsonObject,
  declaration: Declaration,
  changes: JsonObject,
):
  | {
      readonly text: string
      readonly sessionState: JsonObject
      readonly events: readonly AgentEvent[]
    }
  | undefined {
  const next = committed(sessionState, declaration, changes)
  if (!next) return undefined
  const view = viewOf(declaration, undefined)
  const before = seenIn(sessionState, view, declaration)
  const after = seenIn({ ...sessionState, ...next }, view, declaration)
  return {
    text: `Fields of the state that changed: ${Object.keys(next).length}`,
    sessionState: next,
    events:
      before.version === after.version
        ? []
        : [
            {
              type: 'state_delta',
              base: before.version,
              version: after.version,
              patch: diff(before.state, after.state),
            },
          ],
  }
}
