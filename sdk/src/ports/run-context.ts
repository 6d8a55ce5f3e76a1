import type { Failure, JsonObject, Progress, Result, TurnContext } from '@amodal/kernel'
import type { AgentEvent } from '../agent-event.ts'
import { isObject } from '../json.ts'
import type { ApprovalGrant } from './approval-grant.ts'
import type { AgentBundle } from './bundle.ts'
import type { SideCallRequest, Message, ModelResult } from './model.ts'
import type { BoundOutbound } from './outbound.ts'
import type { RedactedValue } from './tool.ts'

/** What a tap may know of the run it is called in. */
export interface RunContext extends TurnContext {
  /** Progress on the live stream; what must last is an entry. */
  readonly progress: Progress<AgentEvent>
  readonly bundle: AgentBundle
  /** The conversation as the model sees it, this run included. */
  readonly messages: readonly Message[]
  /**
   * What plugins keep for the session, by a key of their own; written with `sessionState` of a
   * tool's result or of a message.
   */
  readonly sessionState: JsonObject
  /**
   * `sessionState` of the message this run answers, as it was sent: for what holds for this run
   * alone. Left out where no run is driven.
   */
  readonly messageState?: JsonObject
  /** `context` of the message this run answers, as it was sent, without verification. */
  readonly context: Readonly<Record<string, string>>
  /** `trace` of the message this run answers ({@link SessionDraft.trace}). */
  readonly trace?: string | undefined
  /** Approvals for the rest of this conversation; left out where no run is driven. */
  readonly grants?: readonly ApprovalGrant[]
  /**
   * ms since 1970 at which this run began, by the clock of its first owner: the same after a crash.
   * Left out where no run is driven.
   */
  readonly startedAt?: number
  /** What was taken out of results of this session. */
  readonly redacted: readonly RedactedValue[]
  /** The way out of this run: bound to its lease and its signal. */
  readonly outbound: BoundOutbound
  /**
   * Calls a model outside of the conversation, on the budget of this run; absent where no run is
   * driven.
   */
  readonly ask?: (request: SideCallRequest) => Promise<Result<ModelResult, Failure>>
}

/** Keys of session state that begin with it outlive `clear`. */
export const LASTING = 'lasting:'

const DELEGATION = 'delegation'

/**
 * Session state of a sub-agent: when the delegation began. A sub-agent of a sub-agent keeps the
 * time of the first delegation.
 */
export function sinceDelegated(state: JsonObject, now: number): JsonObject {
  return delegatedSince({ sessionState: state }) === undefined
    ? { ...state, [DELEGATION]: { since: now } }
    : state
}

/** ms since 1970 at which the delegation of a run began; `undefined` where it is not known. */
export function delegatedSince({
  sessionState,
}: Pick<RunContext, 'sessionState'>): number | undefined {
  const delegation = sessionState[DELEGATION]
  const since = isObject(delegation) ? delegation['since'] : undefined
  return typeof since === 'number' ? since : undefined
}
