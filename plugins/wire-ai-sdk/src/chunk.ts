import type { Json, JsonObject } from '@amodal/sdk'

/** What the metadata of an assistant's message tells. */
export interface ReplyMetadata {
  readonly session_id?: string
  readonly reason?: string
  readonly usage?: Json
  /** Dollars. */
  readonly cost?: number
  readonly error?: { readonly code: string; readonly message: string }
  /** Ids of the questions that the run waits with. */
  readonly pending?: readonly string[]
}

interface Call {
  readonly toolCallId: string
  readonly toolName: string
  readonly providerExecuted: boolean
  readonly toolMetadata?: JsonObject
}

/** A chunk of the UI message stream, as far as it is used here. */
export type Chunk =
  | {
      readonly type: 'start'
      readonly messageId: string
      readonly messageMetadata: ReplyMetadata
    }
  | { readonly type: 'start-step' | 'finish-step' | 'reset-step' }
  | {
      readonly type: 'text-start' | 'text-end' | 'reasoning-start' | 'reasoning-end'
      readonly id: string
    }
  | {
      readonly type: 'text-delta' | 'reasoning-delta'
      readonly id: string
      readonly delta: string
    }
  | ({ readonly type: 'tool-input-start' } & Call)
  | ({ readonly type: 'tool-input-available'; readonly input: Json } & Call)
  | {
      readonly type: 'tool-approval-request'
      readonly toolCallId: string
      readonly approvalId: string
      readonly reason?: string
      readonly approvalDescriptor: JsonObject
    }
  | {
      readonly type: 'tool-approval-response'
      readonly approvalId: string
      readonly approved: boolean
    }
  | {
      readonly type: 'tool-output-available'
      readonly toolCallId: string
      readonly output: Json
      readonly providerExecuted: true
    }
  | {
      readonly type: 'tool-output-error'
      readonly toolCallId: string
      readonly errorText: string
      readonly providerExecuted: true
    }
  | { readonly type: 'tool-output-denied'; readonly toolCallId: string }
  | { readonly type: 'file'; readonly url: string; readonly mediaType: string }
  | {
      readonly type: `data-${string}`
      readonly id?: string
      readonly data: Json
      /** Told to `onData`, and no part of the message. */
      readonly transient?: true
    }
  | { readonly type: 'message-metadata'; readonly messageMetadata: ReplyMetadata }
  | { readonly type: 'error'; readonly errorText: string }
  | { readonly type: 'abort'; readonly reason: string }
  | {
      readonly type: 'finish'
      readonly finishReason: 'stop' | 'tool-calls' | 'error' | 'interrupted' | 'other'
      readonly messageMetadata: ReplyMetadata
    }

/** The headers that tell a client which stream it reads. */
export const STREAM_HEADERS = { 'x-vercel-ai-ui-message-stream': 'v1' } as const

export const DONE = 'data: [DONE]\n\n'

/** Chunks as they are sent. */
export const chunkText = (chunks: readonly Chunk[]): string =>
  chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join('')
