import type { DoneReason, JsonObject } from '@amodal/sdk'
import type { WireUsage } from '@amodal/sdk'
import type { ClientTool } from '@amodal/plugin-client-tools/tokens'
import { conversationId, responseId, type ResponsePlace } from './wire-id.ts'

export type ResponseStatus = 'completed' | 'failed' | 'in_progress' | 'cancelled' | 'incomplete'

/** What a response says besides its output. */
export interface ResponseHead {
  readonly place: ResponsePlace
  /** ms since the epoch. */
  readonly createdAt: number
  readonly model: string
  readonly instructions?: string
  readonly previous?: string | undefined
  readonly background?: boolean
  readonly store?: boolean
  readonly metadata?: Readonly<Record<string, string>>
  readonly tools: readonly ClientTool[]
}

export interface ResponseState {
  readonly status: ResponseStatus
  readonly output: readonly JsonObject[]
  readonly usage?: WireUsage | undefined
  readonly error?: { readonly code: string; readonly message: string } | undefined
  /** Why it is incomplete. */
  readonly reason?: string | undefined
  readonly link?: JsonObject | undefined
}

export const responseObject = (head: ResponseHead, state: ResponseState): JsonObject => ({
  id: responseId(head.place),
  object: 'response',
  created_at: Math.floor(head.createdAt / 1_000),
  status: state.status,
  background: head.background ?? false,
  error: state.error ? { code: state.error.code, message: state.error.message } : null,
  incomplete_details: state.reason === undefined ? null : { reason: state.reason },
  instructions: head.instructions ?? null,
  max_output_tokens: null,
  max_tool_calls: null,
  model: head.model,
  output: state.output,
  parallel_tool_calls: head.tools.every(({ parallel }) => parallel !== false),
  previous_response_id: head.previous ?? null,
  conversation: { id: conversationId(head.place.session) },
  reasoning: { effort: null, summary: null },
  store: head.store ?? true,
  temperature: null,
  text: { format: { type: 'text' } },
  tool_choice: 'auto',
  tools: head.tools.map(({ name, description, parameters }) => ({
    type: 'function',
    name,
    description,
    parameters,
    strict: false,
  })),
  top_p: null,
  truncation: 'disabled',
  usage: state.usage ? responseUsage(state.usage) : null,
  metadata: { ...head.metadata },
  amodal: { session_id: head.place.session, ...state.link },
})

const responseUsage = (usage: WireUsage): JsonObject => ({
  input_tokens: usage.input_tokens,
  input_tokens_details: { cached_tokens: usage.cached_tokens },
  output_tokens: usage.output_tokens,
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: usage.total_tokens,
})

/** What is left of a run's usage without what it had used before. */
export const usageSince = (usage: WireUsage, before: WireUsage): WireUsage => ({
  ...usage,
  input_tokens: usage.input_tokens - before.input_tokens,
  output_tokens: usage.output_tokens - before.output_tokens,
  total_tokens: usage.total_tokens - before.total_tokens,
})

/** How a run's end reads here, and why where it is none. */
export function endOf(reason: DoneReason): {
  readonly status: ResponseStatus
  readonly reason?: string
} {
  switch (reason) {
    case 'model_stop':
      return { status: 'completed' }
    case 'user_abort':
      return { status: 'cancelled' }
    case 'error':
      return { status: 'failed' }
    case 'max_turns':
    case 'budget_exceeded':
    case 'loop_detected':
      return { status: 'incomplete', reason }
    default:
      return reason satisfies never
  }
}
