import type { Code } from '../errors.ts'
import type { RunEvent, AskedQuestion, AskType, DoneReason, ToolContent } from '../events.ts'
import type { AskId, CallId, PrincipalId, RunId, SessionId } from '../ids.ts'
import type { Json, JsonObject } from '../json.ts'
import type { Usage } from '../usage.ts'

/**
 * The fields of every entry. `v` is the version of its kind; `at` is ms since the epoch.
 */
interface Common<K extends string> {
  readonly v: number
  readonly kind: K
  readonly run: RunId
  readonly at: number
}

/** A file that a person has sent with a message. Its bytes are stored separately, by their hash. */
export interface AssetRef {
  /** SHA-256 of its bytes, 64 hexadecimal digits. */
  readonly asset: string
  readonly mediaType: string
  readonly bytes: number
  /** The name that the person gave it. */
  readonly name?: string
  /** base64, in journals from before bytes were stored separately. */
  readonly data?: string
}

export interface UserMessage extends Common<'user_message'> {
  /** The key of its inbox item. */
  readonly key: string
  readonly principal: PrincipalId
  readonly text: string
  readonly assets?: readonly AssetRef[]
  readonly context?: Readonly<Record<string, string>>
  readonly session_state?: JsonObject
  /** `traceparent` of the request that sent it, or of what a plugin recorded for it. */
  readonly trace?: string
  /** Hash of the bundle the turn runs on. */
  readonly bundle: string
}

export interface ReplyCall {
  readonly id: CallId
  readonly name: string
  /** The JSON text the model sent; `{}` where it was no JSON. */
  readonly input: string
  /** Set where the call can never run: malformed arguments, cut off, duplicate id. */
  readonly broken?: string
  readonly providerOptions?: JsonObject
}

/**
 * A block of reasoning: its length, and what the provider sent with it: a signature, or the
 * reasoning in encrypted form.
 */
export interface Thought {
  readonly chars: number
  readonly options: JsonObject
}

export interface ModelReply extends Common<'model_reply'> {
  readonly step: number
  readonly text: string
  readonly reasoning?: string
  /** The blocks of `reasoning`, where its provider wants them back with the history. */
  readonly thoughts?: readonly Thought[]
  readonly calls: readonly ReplyCall[]
  readonly usage: Usage
  readonly model: { readonly provider: string; readonly model: string }
  readonly finish: string
  readonly ms: number
  /** Billionths of a dollar, by the prices of that time; absent where they were unknown. */
  readonly cost?: number
}

/**
 * Where an effect goes: a connection, an HTTP method or `CALL`, and the path or the name of the
 * tool there.
 */
export interface EffectTarget {
  readonly connection: string
  readonly method: string
  readonly path: string
}

/**
 * An effect of unknown outcome, with the facts that are needed to check or to retry it.
 */
export interface EffectInDoubt {
  /** `call/1` where another call caused it. */
  readonly call: CallId
  readonly name: string
  /** The idempotency key that was sent to the target. */
  readonly key: string
  /** The target drops a repeat under that key. */
  readonly keyed: boolean
  readonly target?: EffectTarget
  /**
   * Redacted arguments; those of a call of the model are in its intent, sealed where they differ.
   */
  readonly args: JsonObject
}

export interface ToolIntent extends Common<'tool_intent'> {
  readonly call: CallId
  readonly name: string
  readonly args: JsonObject
  readonly args_hash: string
  readonly tool_hash: string
  /** Hash of its outside action. */
  readonly action_hash?: string
  /** The executor carries `run:call` as an idempotency key to its target. */
  readonly keyed: boolean
  readonly target?: EffectTarget
}

export type OutcomeStatus = 'success' | 'error' | 'unknown'

export interface ToolOutcome extends Common<'tool_outcome'> {
  readonly call: CallId
  readonly name: string
  /** The title that people see instead of the name after the call. */
  readonly label?: string
  readonly status: OutcomeStatus
  readonly output: Json
  readonly ms: number
  readonly code?: string
  /** Effects that may or may not have happened, where the status is `unknown`. */
  readonly in_doubt?: readonly EffectInDoubt[]
  readonly content?: readonly ToolContent[]
  /** Facts to tell the client after the result. */
  readonly events?: readonly RunEvent[]
  /** The turn ends once the calls of this step are settled. */
  readonly ends?: boolean
  /** A notice of the product to the model, after the output. */
  readonly notice?: string
  /** The model sees the full output during this run, and a short notice in later ones. */
  readonly ephemeral?: true
  /** No client sees the output. */
  readonly private?: true
  readonly session_state?: JsonObject
}

export interface InputAsked extends Common<'input_asked'> {
  readonly ask: AskId
  readonly ask_type: AskType
  readonly call?: CallId
  readonly name?: string
  readonly schema: JsonObject
  readonly context: JsonObject
  readonly questions?: readonly AskedQuestion[]
  readonly args_hash?: string
  readonly tool_hash?: string
  readonly action_hash?: string
  readonly bundle?: string
  readonly expires_at?: number
}

export interface InputAnswered extends Common<'input_answered'> {
  readonly ask: AskId
  readonly ask_type: AskType
  readonly call?: CallId
  readonly answer: JsonObject
  readonly principal: PrincipalId
  readonly key: string
  /** Why the question can no longer be answered. */
  readonly void?: 'expired' | 'cancelled' | 'tool_changed'
}

export interface Compacted extends Common<'compacted'> {
  readonly cause: 'threshold' | 'overflow' | 'clear'
  /** Entries up to here are replaced by the summary in what the model sees. */
  readonly upto: number
  readonly summary: string
  /** Of the model call that created it, in journals from before such calls had their own notes. */
  readonly usage?: Usage
  /** Tokens of the summary as the model gave it. */
  readonly summary_tokens?: number
  /** Tokens that the next call would have had, and has; estimates. */
  readonly tokens_before?: number
  readonly tokens_after?: number
}

export interface ChildOpened extends Common<'child_opened'> {
  readonly call: CallId
  readonly child: SessionId
  readonly agent: string
  readonly prompt: string
  /** Options in addition to its prompt. */ readonly options?: JsonObject
}
export interface ChildClosed extends Common<'child_closed'> {
  readonly call: CallId
  readonly child: SessionId
  /** Absent in journals of earlier releases. */ readonly agent?: string
  readonly status: OutcomeStatus
  readonly summary: string
  readonly usage: Usage
  /** Billionths of a dollar. */ readonly cost?: number
  readonly ms?: number
}

export interface RunEnded extends Common<'run_ended'> {
  readonly reason: DoneReason
  readonly usage: Usage
  readonly steps: number
  /** Of the last model call. */
  readonly last_usage?: Usage
  /** Billionths of a dollar, of the calls whose price was known. */
  readonly cost?: number
  readonly error?: { readonly code: Code; readonly message: string }
}

/**
 * A fact that does not change the history: a recovery, another bundle, a warning to replay.
 */
export interface Note extends Common<'note'> {
  readonly code: string
  readonly text: string
  readonly data?: Json
  /** Merged into the session state of plugins, key by key. */
  readonly session_state?: JsonObject
  /** Facts to tell the client. */
  readonly events?: readonly RunEvent[]
  /** Of a model call without a reply: a failed attempt, a summary, a review. */
  readonly spent?: Spent
}

/** The outcome of a model call, and its cost where the price is known. */
export type Spent = Pick<ModelReply, 'usage' | 'model' | 'cost'>

export type JournalEntry =
  | UserMessage
  | ModelReply
  | ToolIntent
  | ToolOutcome
  | InputAsked
  | InputAnswered
  | Compacted
  | ChildOpened
  | ChildClosed
  | RunEnded
  | Note

export type EntryKind = JournalEntry['kind']

/** What an entry adds to the sums of its run, its session and its tenant. */
export function spentIn(entry: JournalEntry): Spent | undefined {
  if (entry.kind === 'model_reply') return entry
  return entry.kind === 'note' ? entry.spent : undefined
}

/** The version that this release writes, per kind. */
export const ENTRY_VERSION: Readonly<Record<EntryKind, number>> = {
  user_message: 2,
  model_reply: 1,
  tool_intent: 1,
  tool_outcome: 1,
  input_asked: 1,
  input_answered: 1,
  compacted: 1,
  child_opened: 1,
  child_closed: 1,
  run_ended: 1,
  note: 1,
}

/**
 * An entry in storage: `body` is JSON that is shown and replayed, `sealed` is opened
 * by the executor only.
 */
export interface StoredEntry {
  readonly seq: number
  readonly body: string
  readonly sealed?: string
}

/** An entry with its place in the journal. */
export type SequencedEntry<E extends JournalEntry = JournalEntry> = E & {
  readonly seq: number
  readonly sealed?: string
}
