import type { AskId, AssetRef, CallId, JsonObject, PrincipalId, RunId } from '@amodal/kernel'

/**
 * The body of an inbox item. Messages wait while a run is parked for a person; controls do not.
 */
export type InboxBody =
  | {
      readonly kind: 'message'
      readonly text: string
      readonly assets?: readonly AssetRef[]
      readonly context?: Readonly<Record<string, string>>
      readonly principal: PrincipalId
      readonly roles?: readonly string[]
      readonly delegated?: true
      readonly sessionState?: JsonObject
      readonly limits?: RunLimitsRequest
      /** {@link SessionDraft.trace} */
      readonly trace?: string
    }
  | { readonly kind: 'clear'; readonly principal: PrincipalId }
  | {
      readonly kind: 'answer'
      readonly ask: AskId
      readonly answer: JsonObject
      readonly principal: PrincipalId
    }
  | { readonly kind: 'cancel'; readonly principal: PrincipalId; readonly run?: RunId }
  | { readonly kind: 'retry'; readonly principal: PrincipalId }
  | {
      readonly kind: 'change'
      /** Whose {@link SessionChanges} applies it. */
      readonly plugin: string
      readonly change: JsonObject
      readonly principal: PrincipalId
      readonly roles?: readonly string[]
    }
  | {
      readonly kind: 'settle'
      readonly call: CallId
      readonly settlement: Settlement
      readonly principal: PrincipalId
      readonly roles?: readonly string[]
    }

/**
 * A person's decision on an effect whose outcome is unknown: it happened, it did not happen, or it
 * is to be retried under its key.
 */
export type Settlement = 'happened' | 'not_happened' | 'retry'

/** Limits that a request may lower, never raise. */
export interface RunLimitsRequest {
  readonly maxTurns?: number
  readonly maxSessionTokens?: number
  /** Billionths of a dollar. */ readonly maxSessionCost?: number
  readonly timeoutSeconds?: number
  /**
   * When the turns are used up, a person is asked for more, whatever the agent's
   * `limits.onMaxTurns` is. Default: the agent's setting.
   */
  readonly onMaxTurns?: 'ask'
  /** Of the agent's models, in place of its main one. */ readonly tier?:
    | 'explore'
    | 'simple'
    | 'advanced'
  readonly model?: { readonly provider: string; readonly model: string }
}
