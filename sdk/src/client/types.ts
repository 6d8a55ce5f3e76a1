import type { DoneReason, Json, JsonObject, WireUsage } from '@amodal/kernel'
import type { FrameId } from '../ports/frame.ts'
import type { WireEvent } from '../wire-event.ts'

/** An event with its place in the session: what a stream resumes from, and what a `reset` takes back. */
export type ClientEvent = WireEvent & { readonly frame: FrameId }

export interface OutgoingImage { readonly mimeType: 'image/png' | 'image/jpeg' | 'image/gif' | 'image/webp'; /** base64 */ readonly data: string }

export interface OutgoingMessage {
  readonly text: string
  /** Left out: a new session. */
  readonly session?: string | undefined
  readonly images?: readonly OutgoingImage[]
  readonly context?: Readonly<Record<string, string>>
  /** May lower the agent's own limit. */
  readonly maxTurns?: number
  /** The same key again is the same message; made here where it is not given. */
  readonly key?: string
  /** Ends the reading. The turn goes on. */
  readonly signal?: AbortSignal
}

/** An answer to one question: `approved` for an approval, `response` for a question, `action` for continue or finish. */
export interface OutgoingAnswer {
  readonly id: string
  readonly approved?: boolean
  readonly response?: string
  readonly answers?: Json
  readonly action?: string
  readonly feedback?: string
}

/** What a turn waits for. */
export interface PendingInput {
  readonly id: string
  readonly pending_input_type: 'approval' | 'question' | 'continue_or_finish'
  /** JSON Schema that an answer must fit. */
  readonly pending_input_schema: JsonObject
  readonly pending_input_context: JsonObject
  readonly tool_id?: string
  readonly expires_at?: string
}

export interface SessionSummary {
  readonly id: string
  readonly title: string
  readonly tags: readonly string[]
  readonly status: 'active' | 'idle' | 'expired'
  readonly message_count: number
  readonly token_usage: { readonly input_tokens: number; readonly output_tokens: number; readonly total_tokens: number }
  readonly model: string | null
  readonly parent_id?: string
  readonly forked_at?: number | null
  /** ISO 8601. */
  readonly created_at: string
  readonly updated_at: string
}

/** A tool call of the past. Without `status` it has no outcome: it runs, waits, or was given up. */
export interface PastCall {
  readonly toolId: string
  readonly toolName: string
  readonly parameters: Json
  readonly result?: Json
  readonly status?: string
  readonly duration_ms?: number
  /** What it told beside its result, such as a widget. */
  readonly events?: readonly WireEvent[]
}

export interface SessionMessage {
  readonly id: string
  readonly role: 'user' | 'assistant'
  readonly type: 'user' | 'assistant_text'
  readonly text: string
  readonly timestamp: string
  /** The entry it comes from, a place to fork at. */
  readonly seq: number
  readonly toolCalls?: readonly PastCall[]
  /** Of the last message of a turn: how the turn ended, and what it took. `cost` is in dollars. */
  readonly end?: { readonly reason: DoneReason; readonly usage: WireUsage; readonly cost?: number; readonly error?: { readonly code: string; readonly message: string } }
}

export interface SessionDetails extends SessionSummary {
  readonly state: string
  readonly seq: number
  readonly metadata: JsonObject
  readonly pending_input: readonly PendingInput[]
  readonly messages: readonly SessionMessage[]
}

/** What a turn came to. */
export interface Reply {
  readonly session: string
  readonly text: string
  readonly events: readonly ClientEvent[]
  /** `undefined`: it waits for a person. */
  readonly reason: DoneReason | undefined
  readonly usage: WireUsage | undefined
  readonly pending: readonly PendingInput[]
}

/** What the server refused, or that it could not be reached. `code` is one of the server's, or `UNREACHABLE`. */
export class ClientError extends Error {
  override readonly name = 'ClientError'
  readonly code: string
  readonly status: number | undefined

  constructor(code: string, message: string, status?: number, cause?: unknown) {
    super(message, { cause })
    this.code = code
    this.status = status
  }
}
