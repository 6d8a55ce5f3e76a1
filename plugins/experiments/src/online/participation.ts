import { isObject, type JsonObject } from '@amodal/sdk'
import { LASTING } from '@amodal/sdk/loop'

/** Key of the session state: it outlives that a conversation is cleared. */
const KEY = `${LASTING}experiments`

/** The variant of each experiment that a session takes part in. */
export function participationsOf(state: JsonObject): Readonly<Record<string, string>> {
  const stored = state[KEY]
  if (!isObject(stored)) return {}
  return Object.fromEntries(
    Object.entries(stored).flatMap(([name, variant]) =>
      typeof variant === 'string' ? [[name, variant]] : [],
    ),
  )
}

/** What the journal records of them, with the message that opens the session. */
export const participationState = (variants: ReadonlyMap<string, string>): JsonObject => ({
  [KEY]: Object.fromEntries(variants),
})
