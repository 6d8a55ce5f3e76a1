import { isList, isObject, type AgentBundle, type Json, type JsonObject } from '@amodal/sdk'

/** The part of the bundle where the declaration stands. */
export const PART = 'live-state'

/** Who may change a property: the model with `update_state`, tools that say so, the API. */
export type Writer = 'model' | 'tools' | 'api'

/** `public`: everybody who may see the session; `roles`: those; `private`: no client. */
export type Visibility = 'public' | 'private' | { readonly roles: readonly string[] }

export interface StateProperty extends JsonObject {
  readonly name: string
  /** JSON Schema of its value. */
  readonly schema: JsonObject
  readonly default: Json
  /** Whose it is: the session's, or one for all sessions of the tenant with this agent. */
  readonly scope: 'session' | 'agent'
  readonly visibility: Visibility
  readonly write: readonly Writer[]
  readonly description: string
}

/** What a turn begins with, as expressions over the state. */
export interface Expressions extends JsonObject {
  /** A text with `{{ expression }}` in it. */
  readonly instructions: string | null
  readonly model: string | null
  readonly temperature: string | null
  readonly maxTurns: string | null
  readonly maxTokens: string | null
}

export type ExpressionName = 'instructions' | 'model' | 'temperature' | 'maxTurns' | 'maxTokens'

export interface Declaration extends JsonObject {
  readonly properties: readonly StateProperty[]
  readonly expressions: Expressions
  /** Of names and visibility: versions that clients have of another declaration are unknown. */
  readonly digest: string
}

/** What an agent's files declare; `undefined` where they declare nothing. */
export function declarationOf(bundle: AgentBundle): Declaration | undefined {
  const part = (bundle.unrestricted ?? bundle).parts[PART]
  // `readState` built it
  return isObject(part) && isList(part['properties']) ? (part as Declaration) : undefined
}
