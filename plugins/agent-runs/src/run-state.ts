import { isObject, type JsonObject, type RunContext } from '@amodal/sdk'

const KEY = 'agent-runs'

/** What the session of a run keeps for this plugin. */
export const stateWith = (profile: string): JsonObject => ({ [KEY]: { profile } })

/**
 * The profile that a run works under; `undefined` for conversations, and for sub-agents, which have
 * definitions of their own.
 */
export function profileIdOf({
  delegated,
  sessionState,
}: Pick<RunContext, 'delegated' | 'sessionState'>): string | undefined {
  const kept = delegated ? undefined : sessionState[KEY]
  const profile = isObject(kept) ? kept['profile'] : undefined
  return typeof profile === 'string' ? profile : undefined
}
