import { isList, isObject, type JsonObject, type RunId } from '@amodal/sdk'

/** Key of the session state. */
const KEY = 'org-tools'

/** A version that a run uses until it ends, whatever is published or deprecated meanwhile. */
export interface Pin {
  readonly name: string
  /** Id of the tool. */
  readonly tool: string
  readonly version: string
}

/** Session state in which a run has these versions. */
export const pinned = (run: RunId, pins: readonly Pin[]): JsonObject => ({
  [KEY]: { run, pins: pins.map((pin) => ({ ...pin })) },
})

/** The versions that a run has in the journal; `undefined` where it has not chosen them yet. */
export function pinsOf(sessionState: JsonObject, run: RunId): readonly Pin[] | undefined {
  const stored = sessionState[KEY]
  if (!isObject(stored) || stored['run'] !== run) return undefined
  const pins = stored['pins']
  return isList(pins) ? (pins as unknown as readonly Pin[]) : undefined // written by `pinned`
}
