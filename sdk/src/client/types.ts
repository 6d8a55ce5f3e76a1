import type { DoneReason, Json, JsonObject, ToolContent } from '@amodal/kernel'
import type { WireUsage } from '../agent-event.ts'
import type { FrameId } from '../ports/frame.ts'
import type { SessionStanding } from '../ports/session-store.ts'
import type { WireEvent } from '../wire/wire-event.ts'

/**
 * An event with its place in the session: what a stream resumes from, and what a `reset` takes
 * back.
 */
export type ClientEvent = WireEvent & { readonly frame: FrameId }

export interface ImageInput {
  readonly mimeType: 'image/png' | 'image/jpeg' | 'image/gif' | 'image/webp'
  /** base64 */ readonly data: string
}

/** An uploaded file, by its id; or a file in base64. */
export type FileInput =
  | string
  | { readonly id: string; readonly name?: string }
  | { readonly data: string; readonly mimeType?: string; readonly name?: string }

/** A file that the server keeps for messages. */
export interface UploadedFile {
  readonly id: string
  readonly media_type: string
  readonly bytes: number
  readonly name?: string
  /** ISO time of its last upload or message. */
  readonly used_at: string
}

export interface MessageInput {
  readonly text: string
  /** Left out: a new session. */
  readonly session?: string | undefined
  readonly images?: readonly ImageInput[]
  /** Files that go with it. */
  readonly assets?: readonly FileInput[]
  readonly context?: Readonly<Record<string, string>>
  /** May lower the agent's own limit. */
  readonly maxTurns?: number
  /** The same key again is the same message; made here where it is not given. */
  readonly key?: string
  /** Ends the reading. The turn goes on. */
  readonly signal?: AbortSignal
}

/**
 * An answer to one question: `approved` for an approval, `response` for a question, `action` for
 * continue or finish.
 */
export interface AnswerInput {
  readonly id: string
  readonly approved?: boolean
  /** A text, a yes or no, or a list where several options may be chosen. */
  readonly response?: Json
  readonly answers?: Json
  readonly action?: string
  readonly feedback?: string
  /**
   * Of an approval whose schema has it: `conversation` grants later calls of the same tool and
   * endpoint as well. Default: `once`.
   */
  readonly scope?: 'once' | 'conversation'
}

/** An approval for the rest of a conversation. */
export interface Grant {
  readonly id: string
  readonly tool: string
  /** A template, such as `POST /tickets/{id}/close`; `null` where the tool calls no endpoint. */
  readonly endpoint: string | null
  readonly connection: string | null
  readonly by: string
  /** ISO 8601. */
  readonly at: string
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

export type { SessionStanding }

export interface SessionSummary {
  readonly id: string
  /** What it was begun for; lists leave out those of the admin agent unless they are asked for. */
  readonly kind?: 'chat' | 'automation' | 'agent-run' | 'admin'
  readonly title: string
  readonly tags: readonly string[]
  readonly status: 'active' | 'idle' | 'expired'
  readonly message_count: number
  readonly token_usage: {
    readonly input_tokens: number
    readonly output_tokens: number
    readonly total_tokens: number
  }
  readonly model: string | null
  readonly provider?: string | null
  /** Its run crashed its server repeatedly: it continues when a person resumes it. */
  readonly set_aside?: {
    readonly code: string
    readonly message: string
    readonly crashes: number
    /** ISO 8601. */ readonly at: string
  }
  /** Effects whose outcome is unknown. */
  readonly unknown_effects?: number
  readonly parent_id?: string
  readonly forked_at?: number | null
  /** Questions that are open. */
  readonly waiting?: number
  /** Where it stands; null where it had no turn. */
  readonly standing?: SessionStanding | null
  /** Its newest turn ended with an error. */
  readonly failed?: boolean
  /** How its newest turn ended. */
  readonly last_end?: {
    readonly reason: DoneReason
    readonly code?: string
    readonly message?: string
    readonly at: string
  }
  /** ISO 8601. */
  readonly created_at: string
  readonly updated_at: string
}

/** A page of sessions, the newest first. */
export interface SessionList {
  readonly sessions: readonly SessionSummary[]
  readonly next_cursor: string | null
  /** All sessions that wait for a person, on this page or not. */
  readonly waiting_count?: number
}

/** The decision about a call, who made it and when (ISO 8601). */
export interface PastApproval {
  readonly ask_id: string
  readonly decision: 'approved' | 'declined' | 'expired'
  readonly by?: string
  readonly at: string
  readonly feedback?: string
  /** It covers later calls as well. */
  readonly scope?: 'conversation'
}

/**
 * An approval of a session's history; without a decision while it is open, or if its run was
 * cancelled meanwhile. `asked` is what the person was shown.
 */
export type AskedApproval = (PastApproval | { readonly ask_id: string; readonly decision: null }) &
  Readonly<Record<'asked', JsonObject>> & {
    readonly tool_id?: string
    readonly tool_name?: string
    readonly asked_at: string
    readonly expires_at?: string
  }

/**
 * How somebody settled an effect of unknown outcome. `retry`: it was made again under its key, with
 * this `status`.
 */
export interface SettledOutcome {
  readonly outcome: 'happened' | 'not_happened' | 'retry'
  readonly status?: 'success' | 'error'
  readonly by: string
  /** ISO 8601. */
  readonly at: string
}

/** A tool call of the past. Without `status` it has no outcome: it runs, waits, or was given up. */
export interface PastCall {
  readonly toolId: string
  readonly toolName: string
  /** What a person reads instead of the name, where the tool has such a text. */
  readonly label?: string
  readonly parameters: Json
  readonly result?: Json
  /** Images of its result, the newest of a session. */
  readonly content?: readonly ToolContent[]
  readonly status?: string
  readonly duration_ms?: number
  /** What a person decided about it, where one was asked. */
  readonly approval?: PastApproval
  /** How its unknown outcome was settled. */
  readonly settled?: SettledOutcome
  /** Events that it emitted besides its result, such as a widget. */
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
  /** Files that the person sent with it. `data`: base64, where the journal has it itself. */
  readonly assets?: readonly (Omit<UploadedFile, 'used_at'> & { readonly data?: string })[]
  readonly toolCalls?: readonly PastCall[]
  /** Of the last message of a turn: how the turn ended, and what it took. `cost` is in dollars. */
  readonly end?: {
    readonly reason: DoneReason
    readonly usage: WireUsage
    readonly cost?: number
    readonly error?: { readonly code: string; readonly message: string }
  }
}

/** An effect of unknown outcome, which a person has to settle. */
export interface UnknownOutcome {
  readonly call_id: string
  readonly tool_name: string
  /** ISO 8601. */
  readonly at: string
  /** What the target knows the call by. */
  readonly idempotency_key: string
  /** Whether it can be made again under that key. */
  readonly can_retry: boolean
  readonly parameters?: Json
}

export interface SessionDetails extends SessionSummary {
  readonly state: string
  readonly seq: number
  readonly metadata: JsonObject
  readonly pending_input: readonly PendingInput[]
  readonly unknown_calls: readonly UnknownOutcome[]
  readonly approvals?: readonly AskedApproval[]
  /** Approvals that cover later calls and are not revoked. */
  readonly grants?: readonly Grant[]
  readonly messages: readonly SessionMessage[]
}

/** A rating of an answer. */
export interface FeedbackInput {
  readonly session: string
  /**
   * `seq` of a message of the turn or of the frame of its `done`, or the id of its run. Left out:
   * the last answer of the session.
   */
  readonly message?: number | string
  /** `null` takes it back. */
  readonly rating: 'up' | 'down' | null
  /** Ids of reasons; {@link FeedbackOffer} has those that are offered. */
  readonly categories?: readonly string[]
  readonly comment?: string
  readonly tags?: readonly string[]
}

/** The opinion of the caller as it is stored. */
export interface FeedbackGiven {
  readonly session_id: string
  readonly message_id: string
  readonly run_id: string
  readonly rating: 'up' | 'down' | null
}

/** A rating of the caller, with what they wrote. */
export interface Opinion {
  /** `seq` of the message that is rated. */
  readonly message_id: string
  readonly rating: 'up' | 'down'
  readonly categories: readonly string[]
  readonly comment: string | null
}

/** Questions that people may be asked in addition to a rating. */
export interface FeedbackOffer {
  readonly categories: readonly { readonly id: string; readonly label: string }[]
  readonly comments: boolean
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

/**
 * What the server refused, or that it could not be reached. `code` is one of the server's, or
 * `UNREACHABLE`.
 */
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
