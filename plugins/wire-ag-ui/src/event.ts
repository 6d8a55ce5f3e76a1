import type { Json, JsonObject } from '@amodal/sdk'

/** The version of the protocol that is spoken here. */
export const PROTOCOL = '1.0'

export type ContentPart =
  | { readonly type: 'text'; readonly text: string }
  | {
      readonly type: 'image' | 'audio' | 'video' | 'document'
      readonly source: {
        readonly type: 'data' | 'url'
        readonly value: string
        readonly mimeType: string
      }
      readonly metadata?: { readonly filename: string }
    }

/** A message of a thread, as far as one is made here. */
export type Message =
  | {
      readonly id: string
      readonly role: 'user'
      readonly content: string | readonly ContentPart[]
    }
  | {
      readonly id: string
      readonly role: 'assistant'
      readonly content?: string
      readonly toolCalls?: readonly {
        readonly id: string
        readonly type: 'function'
        readonly function: { readonly name: string; readonly arguments: string }
      }[]
    }
  | {
      readonly id: string
      readonly role: 'tool'
      readonly toolCallId: string
      readonly content: string | readonly ContentPart[]
      readonly error?: string
    }
  | { readonly id: string; readonly role: 'reasoning'; readonly content: string }

/** One that the client has sent, as it came. */
export interface ClientMessage {
  readonly id: string
  readonly role: string
  readonly content?: unknown
}

export interface Interrupt {
  readonly id: string
  readonly reason: string
  readonly message?: string
  readonly toolCallId?: string
  readonly responseSchema: JsonObject
  readonly expiresAt?: string
  readonly metadata: JsonObject
}

export type Outcome =
  | { readonly type: 'success' | 'cancelled' }
  | { readonly type: 'interrupt'; readonly interrupts: readonly Interrupt[] }

export interface TokenUsage {
  readonly inputTokens: number
  readonly outputTokens: number
  readonly totalTokens: number
  readonly cachedInputTokens: number
}

interface OfMessage {
  readonly messageId: string
}
interface OfCall {
  readonly toolCallId: string
}

/** An event of AG-UI, as far as it is sent here. */
export type AgUiEvent =
  | {
      readonly type: 'RUN_STARTED'
      readonly threadId: string
      readonly runId: string
      readonly protocolVersion: string
      readonly parentRunId?: string
    }
  | {
      readonly type: 'RUN_FINISHED'
      readonly threadId: string
      readonly runId: string
      readonly outcome: Outcome
      readonly usage?: readonly TokenUsage[]
      readonly result: JsonObject
    }
  | {
      readonly type: 'RUN_ERROR'
      readonly message: string
      readonly code: string
      readonly usage?: readonly TokenUsage[]
    }
  | { readonly type: 'STEP_STARTED' | 'STEP_FINISHED'; readonly stepName: string }
  | ({ readonly type: 'TEXT_MESSAGE_START'; readonly role: 'assistant' } & OfMessage)
  | ({ readonly type: 'TEXT_MESSAGE_CONTENT'; readonly delta: string } & OfMessage)
  | ({ readonly type: 'REASONING_MESSAGE_START'; readonly role: 'reasoning' } & OfMessage)
  | ({ readonly type: 'REASONING_MESSAGE_CONTENT'; readonly delta: string } & OfMessage)
  | ({
      readonly type:
        | 'TEXT_MESSAGE_END'
        | 'REASONING_START'
        | 'REASONING_MESSAGE_END'
        | 'REASONING_END'
    } & OfMessage)
  | ({
      readonly type: 'TOOL_CALL_START'
      readonly toolCallName: string
      readonly parentMessageId: string
      readonly metadata?: JsonObject
    } & OfCall)
  | ({ readonly type: 'TOOL_CALL_ARGS'; readonly delta: string } & OfCall)
  | ({ readonly type: 'TOOL_CALL_END' } & OfCall)
  | ({
      readonly type: 'TOOL_CALL_RESULT'
      readonly role: 'tool'
      readonly content: string | readonly ContentPart[]
      readonly metadata: JsonObject
    } & OfMessage &
      OfCall)
  | { readonly type: 'STATE_SNAPSHOT'; readonly snapshot: Json }
  | { readonly type: 'STATE_DELTA'; readonly delta: Json }
  | {
      readonly type: 'MESSAGES_SNAPSHOT'
      readonly messages: readonly (Message | ClientMessage)[]
    }
  | ({
      readonly type: 'ACTIVITY_SNAPSHOT'
      readonly activityType: string
      readonly content: JsonObject
    } & OfMessage)
  | {
      readonly type: 'CUSTOM'
      readonly name: string
      readonly value: Json
      readonly subagentRunId?: string
    }
  | {
      readonly type: 'SUBAGENT_STARTED'
      readonly subagentRunId: string
      readonly name: string
      readonly parentToolCallId: string
    }
  | {
      readonly type: 'SUBAGENT_FINISHED'
      readonly subagentRunId: string
      readonly outcome: { readonly type: 'success' | 'suspended' }
    }
  | { readonly type: 'SUBAGENT_ERROR'; readonly subagentRunId: string; readonly message: string }

/** Events as they are sent. */
export const eventText = (events: readonly AgUiEvent[]): string =>
  events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('')
