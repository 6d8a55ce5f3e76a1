import type { Json, JsonObject } from '@amodal/sdk'

/** What happens in a run, by its name on the wire. */
export interface RunEvents {
  thinking: { readonly text: string }
  tool_start: { readonly toolId: string; readonly callId: string; readonly inputSummary: string }
  tool_complete: {
    readonly toolId: string
    readonly callId: string
    readonly durationMs: number
    readonly resultSummary: string
  }
  tool_error: {
    readonly toolId: string
    readonly callId: string
    readonly durationMs: number
    readonly error: string
  }
  turn_complete: { readonly turn: number; readonly tokensUsed: TokensUsed }
  paused: {
    readonly ask_id: string
    readonly pending_input_type: PauseType
    readonly pending_input_schema: JsonObject
    readonly pending_input_context: Json
  }
  completed: { readonly reason: string }
  error: { readonly code: string; readonly message: string }
}

export type TokensUsed = {
  readonly input: number
  readonly output: number
  readonly cacheRead: number
  readonly cacheCreate: number
}

/** What a person is asked for. */
export type PauseType = 'approval' | 'question' | 'form' | 'continue_or_finish'

/** An event with the entry that it comes from, and its place among the events of that entry. */
export type RunEvent = {
  readonly [K in keyof RunEvents]: {
    readonly type: K
    readonly seq: number
    readonly n: number
    /** ISO 8601. */
    readonly timestamp: string
  } & RunEvents[K]
}[keyof RunEvents]

/** The same before it has its place. */
export type RunEventDraft = {
  readonly [K in keyof RunEvents]: { readonly type: K } & RunEvents[K]
}[keyof RunEvents]
