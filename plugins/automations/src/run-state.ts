import {
  isObject,
  principalId,
  type JsonObject,
  type PrincipalId,
  type RunContext,
} from '@amodal/sdk'

const KEY = 'automations'
const PREFIX = 'automation:'

/** What a run carries in its session, and its sub-agents in theirs. */
export interface AutomationRun {
  readonly automation: string
  readonly run: string
  readonly writeEnabled: boolean
  /** A call that needs an approval waits for a person. */
  readonly waits: boolean
}

/** Who a run acts as. */
export const principalOf = (automation: string): PrincipalId => principalId(PREFIX + automation)

/** The automation that a principal is; `undefined` for a person. */
export const automationOf = (principal: PrincipalId): string | undefined =>
  principal.startsWith(PREFIX) ? principal.slice(PREFIX.length) : undefined

export const stateOf = (run: AutomationRun): JsonObject => ({ [KEY]: { ...run } })

/**
 * The automation that a run belongs to; `undefined` for a conversation. A person who goes on in the
 * session of a run acts as themselves.
 */
export function automationRunOf({
  sessionState,
  principal,
}: Pick<RunContext, 'sessionState' | 'principal'>): AutomationRun | undefined {
  const kept = sessionState[KEY]
  if (!isObject(kept)) return undefined
  const { automation, run, writeEnabled, waits } = kept
  if (typeof automation !== 'string' || typeof run !== 'string') return undefined
  return principal === principalOf(automation)
    ? { automation, run, writeEnabled: writeEnabled === true, waits: waits === true }
    : undefined
}
