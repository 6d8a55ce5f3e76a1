import { isList, type Json, type JsonObject, type RunId } from '@amodal/sdk'
import { LASTING, SHARED_STATE } from '@amodal/sdk/loop'
import type { Declaration, StateProperty } from './declaration.ts'

/*
 * Where the state stands in the journal: a key of the session state for each property that has been
 * changed, with how often it was; and one for each that a run has changed, which counts once that
 * run ends well. All outlive `clear`, which forgets a conversation and no state. For a property of
 * the agent it is a copy: the store has the value, and changes it in the commit of the note.
 */
const PROPERTY = `${LASTING}state/`
const STAGED = `${LASTING}state-staged/`

/** A property's value, and how often it has changed. */
interface StoredValue {
  readonly count: number
  readonly value: Json
}

const keyOf = ({ name, scope }: Pick<StateProperty, 'name' | 'scope'>): string =>
  (scope === 'agent' ? SHARED_STATE : PROPERTY) + name

function storedValueOf(sessionState: JsonObject, property: StateProperty): StoredValue | undefined {
  const stored = sessionState[keyOf(property)]
  // `committed` built it
  return isList(stored) ? { count: Number(stored[0]), value: stored[1] ?? null } : undefined
}

/** How often a property has changed. */
export const countOf = (sessionState: JsonObject, property: StateProperty): number =>
  storedValueOf(sessionState, property)?.count ?? 0

/** The values that count. */
export const valuesOf = (
  sessionState: JsonObject,
  properties: readonly StateProperty[],
): JsonObject =>
  Object.fromEntries(
    properties.map((property) => [
      property.name,
      storedValueOf(sessionState, property)?.value ?? property.default,
    ]),
  )

/** What a run has changed so far. */
export const stagedOf = (sessionState: JsonObject, run: RunId): JsonObject =>
  Object.fromEntries(
    Object.entries(sessionState).flatMap(([key, stored]) =>
      key.startsWith(STAGED) && isList(stored) && stored[0] === run
        ? [[key.slice(STAGED.length), stored[1] ?? null]]
        : [],
    ),
  )

/** The values as the run in progress sees them. */
export const workingValuesOf = (
  sessionState: JsonObject,
  properties: readonly StateProperty[],
  run: RunId,
): JsonObject => ({ ...valuesOf(sessionState, properties), ...stagedOf(sessionState, run) })

/** Session state in which a run has changed this as well. */
export const staged = (run: RunId, changes: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(changes).map(([name, value]) => [STAGED + name, [run, value]]))

/** Session state in which changes count; values that are what they were are left out. */
export function committed(
  sessionState: JsonObject,
  { properties }: Declaration,
  changes: JsonObject,
): JsonObject | undefined {
  const now = valuesOf(sessionState, properties)
  const entries = properties.flatMap((property): [string, Json][] => {
    const value = changes[property.name]
    if (value === undefined || JSON.stringify(value) === JSON.stringify(now[property.name]))
      return []
    return [[keyOf(property), [countOf(sessionState, property) + 1, value]]]
  })
  return entries.length === 0 ? undefined : Object.fromEntries(entries)
}

/** Only what counts of the state: what a reader of the journal needs of an entry. */
export function stateIn(sessionState: JsonObject | undefined): JsonObject | undefined {
  const own = Object.entries(sessionState ?? {}).filter(
    ([key]) => key.startsWith(PROPERTY) || key.startsWith(SHARED_STATE),
  )
  return own.length === 0 ? undefined : Object.fromEntries(own)
}
