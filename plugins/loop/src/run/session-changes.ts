import {
  err,
  failure,
  type Failure,
  type InboxBody,
  type Json,
  type JsonObject,
  messageOf,
  type Note,
  ok,
  type Result,
  type SequencedEntry,
  type SessionChanged,
} from '@amodal/sdk'
import { SessionChanges, stage } from '@amodal/sdk/loop'
import type { LoopTurn } from './loop-turn.ts'

/** The codes of the notes that record the outcome of a change. */
const [CHANGED, REFUSED] = ['session_changed', 'session_change_refused'] as const

type Draft = Omit<Note, 'kind' | 'v' | 'run' | 'at'>

interface ChangedData extends JsonObject {
  /** The key of the inbox item. */
  readonly key: string
  readonly plugin: string
  readonly by: string
  readonly answer: Json
}

interface RefusedData extends JsonObject {
  readonly key: string
  readonly code: string
  readonly message: string
  readonly status: number | null
}

/** A turn without a model call: a plugin changes its state of the session. */
export async function changing(
  key: string,
  { plugin, change }: Extract<InboxBody, { kind: 'change' }>,
  turn: LoopTurn,
): Promise<LoopTurn> {
  const changed = await apply(plugin, change, turn)
  const note = changed.ok
    ? changedNote({ key, plugin, by: turn.principal, answer: changed.value.data }, changed.value)
    : refusedNote({ key, ...failureData(changed.error) })
  const staged = stage([turn.newEntry({ kind: 'note', ...note })], turn)
  turn.state = staged.ok ? { kind: 'done', reason: 'model_stop' } : turn.done(staged.error)
  return turn
}

const changedNote = (
  data: ChangedData,
  { text, sessionState, events = [] }: SessionChanged,
): Draft => ({
  code: CHANGED,
  text,
  data,
  session_state: sessionState,
  ...(events.length > 0 && { events }),
})

/** Turns a change that cannot be committed into a refusal. */
export const refusedInstead = (note: Note, error: Failure): Result<Note, Failure> => {
  if (note.code !== CHANGED) return err(error)
  const { key } = note.data as ChangedData // written above
  const { v, kind, run, at } = note
  return ok({ v, kind, run, at, ...refusedNote({ key, ...failureData(error) }) })
}

const failureData = ({
  code,
  message,
  status,
}: Failure): Pick<RefusedData, 'code' | 'message' | 'status'> => ({
  code,
  message,
  status: status ?? null,
})

const refusedNote = (data: RefusedData): Draft => ({
  code: REFUSED,
  text: `A change was refused: ${data.message}`,
  data,
})

async function apply(
  plugin: string,
  change: JsonObject,
  turn: LoopTurn,
): Promise<Result<SessionChanged, Failure>> {
  const applies = turn.parts.generation.registry(SessionChanges).get(plugin)
  if (!applies)
    return err(failure('NOT_FOUND', `the plugin "${plugin}" changes nothing of a session`))
  try {
    return await applies(change, turn)
  } catch (cause) {
    return err(
      failure('PLUGIN_FAILED', `${plugin} failed to change the session: ${messageOf(cause)}`, {
        cause,
      }),
    )
  }
}

/**
 * The outcome of the change with this key; `undefined`: it has none yet.
 *
 * @param entries behind the head that it was accepted at
 */
export function changeIn(
  entries: readonly SequencedEntry[],
  key: string,
): Result<Json, Failure> | undefined {
  for (const entry of entries) {
    if (entry.kind !== 'note' || (entry.code !== CHANGED && entry.code !== REFUSED)) continue
    const data = entry.data as ChangedData | RefusedData // written above
    if (data.key !== key) continue
    return isRefused(data) ? err(refusalOf(data)) : ok(data.answer)
  }
  return undefined
}

const isRefused = (data: ChangedData | RefusedData): data is RefusedData => 'code' in data

const refusalOf = ({ code, message, status }: RefusedData): Failure => ({
  code,
  message,
  ...(status !== null && { status }),
})
