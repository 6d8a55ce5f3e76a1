import { isList, type Json, type JsonObject, type RunId } from '@amodal/sdk'
import { LASTING, SHARED_STATE } from '@amodal/sdk/loop'
import type { Declaration, StateField } from './declaration.ts'

/*
 * Where the state stands in the journal: a key of the session state for each field that has been
 * changed, with how often it was; and one for each that a run has changed, which counts once that
 * run ends well. All outlive `clear`, which forgets a conversation and no state. Of a field of the
 * agent it is a copy: the store has the value, and changes it in the commit of the note.
 */
const FIELD = `${LASTING}state/`
const STAGED = `${LASTING}state-staged/`

/** A field's value, and how often it has changed. */
interface Kept {
  readonly count: number
  readonly value: Json
}

const keyOf = ({ name, scope }: Pick<StateField, 'name' | 'scope'>): string =>
  (scope === 'agent' ? SHARED_STATE : FIELD) + name

function keptOf(sessionState: JsonObject, field: StateField): Kept | undefined {
  const kept = sessionState[keyOf(field)]
  // of `committed`
  return isList(kept) ? { count: Number(kept[0]), value: kept[1] ?? null } : undefined
}

/** How often a field has changed. */
export const countOf = (sessionState: JsonObject, field: StateField): number =>
  keptOf(sessionState, field)?.count ?? 0

/** The values that count. */
export const valuesOf = (sessionState: JsonObject, fields: readonly StateField[]): JsonObject =>
  Object.fromEntries(
    fields.map((field) => [field.name, keptOf(sessionState, field)?.value ?? field.default]),
  )

/** What a run has changed so far. */
export const stagedOf = (sessionState: JsonObject, run: RunId): JsonObject =>
  Object.fromEntries(
    Object.entries(sessionState).flatMap(([key, kept]) =>
      key.startsWith(STAGED) && isList(kept) && kept[0] === run
        ? [[key.slice(STAGED.length), kept[1] ?? null]]
        : [],
    ),
  )

/** The values as the run in progress sees them. */
export const workingValuesOf = (
  sessionState: JsonObject,
  fields: readonly StateField[],
  run: RunId,
): JsonObject => ({ ...valuesOf(sessionState, fields), ...stagedOf(sessionState, run) })

/** Session state in which a run has changed this as well. */
export const staged = (run: RunId, changes: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(changes).map(([name, value]) => [STAGED + name, [run, value]]))

/** Session state in which changes count; values that are what they were are left out. */
export function committed(
  sessionState: JsonObject,
  { fields }: Declaration,
  changes: JsonObject,
): JsonObject | undefined {
  const now = valuesOf(sessionState, fields)
  const entries = fields.flatMap((field): [string, Json][] => {
    const value = changes[field.name]
    if (value === undefined || JSON.stringify(value) === JSON.stringify(now[field.name])) return []
    return [[keyOf(field), [countOf(sessionState, field) + 1, value]]]
  })
  return entries.length === 0 ? undefined : Object.fromEntries(entries)
}

/** Only what counts of the state: what a reader of the journal keeps of an entry. */
export function stateIn(sessionState: JsonObject | undefined): JsonObject | undefined {
  const own = Object.entries(sessionState ?? {}).filter(
    ([key]) => key.startsWith(FIELD) || key.startsWith(SHARED_STATE),
  )
  return own.length === 0 ? undefined : Object.fromEntries(own)
}
