import {
  registry,
  type CallId,
  type Failure,
  type Json,
  type JsonObject,
  type Lease,
  type Logger,
  type PrincipalId,
  type Result,
  type RunId,
  type SessionId,
  type Slot,
  type TenantId,
  type ToolContent,
} from '@amodal/kernel'
import type { AgentEvent } from '../agent-event.ts'
import type { QuestionDraft } from './ask.ts'
import type { AgentBundle } from './bundle.ts'
import type { SideCallRequest, ModelResult } from './model.ts'
import type { BoundOutbound } from './outbound.ts'
import type { Persistence } from './persistence.ts'

/** A redacted value, and the redaction handle that stands for it, if any. */
export interface RedactedValue {
  readonly value: string
  /** Stands in texts instead of the value. Without one the value was taken out. */
  readonly handle?: string
  readonly entity: string
  readonly field: string
  readonly policy: string
  readonly sensitivity: string
  /** Roles that may see it. */
  readonly roles?: readonly string[]
  /** The connection that it came from, and that it may be sent to. */
  readonly connection?: string
}

/** The media type of a body, and how its fields are written where the default is not meant. */
export type BodyMedia = {
  readonly type: string
  readonly fields?: Readonly<Record<string, BodyField>>
}

/** One field of a form or of a multipart body. */
export type BodyField = {
  /**
   * `text`: an object is written as JSON text. `file`: a part with bytes, which base64 stands for.
   */
  readonly kind?: 'text' | 'file'
  /**
   * How lists and objects are written: `a[0]=x`, `a=x&a=y`, `a=x,y`, `a=x y`, `a=x|y`, or each
   * field of an object under its own name.
   */
  readonly style?: 'deepObject' | 'repeat' | 'comma' | 'space' | 'pipe' | 'flat'
  /** Of this part, or `application/json` for a field of a form that holds JSON. */
  readonly contentType?: string
}

/** What a call does outside: what guards judge is what is sent. */
export interface Action {
  /** The connection, or another name for where it goes, such as `web`. */
  readonly connection: string
  readonly protocol: 'rest' | 'mcp' | 'web'
  /** Upper case: an HTTP method, `QUERY` or `MUTATION` of GraphQL, `CALL` of an MCP tool. */
  readonly method: string
  /**
   * Canonical, with the base path and without query; the tool's own name for MCP; the whole address
   * for the web.
   */
  readonly path: string
  /**
   * The beginning of `path` that the connection brings itself: rules may be written with or without
   * it.
   */
  readonly base?: string
  /** Scheme, host and port, where it is known before it is sent. */
  readonly origin?: string
  readonly query: Readonly<Record<string, readonly string[]>>
  /**
   * As the caller gave them, names in lower case; credentials and injected ones are not among them.
   */
  readonly headers: Readonly<Record<string, string>>
  readonly body?: Json
  /**
   * How the body becomes bytes. Where it is left out, a text is sent as it stands and anything else
   * as JSON.
   */
  readonly media?: BodyMedia
  /** By method and protocol, never as the model says. */
  readonly effect: 'read' | 'write'
  /** The target ignores a repeat with the same key, so an interrupted call is retried. */
  readonly keyed?: boolean
}

/** A call that a tool makes of another one. */
export interface InnerCall {
  readonly name: string
  readonly args: JsonObject
}

/**
 * Text of a third party inside a message: its position and length in characters, and the complete
 * original.
 */
export interface Quotes {
  readonly at: number
  readonly length: number
  readonly value: Json
}

/**
 * A message that quotes a target.
 *
 * @param value the full text, if the message has only its beginning
 * @example quoting('crm answered 404: ', 'no such deal', '\nNext: check the id.')
 */
export const quoting = (
  before: string,
  quoted: string,
  after = '',
  value: Json = quoted,
): { readonly message: string; readonly quotes: Quotes } => ({
  message: `${before}${quoted}${after}`,
  quotes: { at: before.length, length: quoted.length, value },
})

/**
 * What came of a tool. An error is an observation for the model, never an exception that ends the
 * run.
 */
export type ToolResult =
  | {
      readonly status: 'success'
      /** What the model reads, and clients as well, unless texts of `content` have an audience. */
      readonly output: Json
      /** For clients; the model gets the images, where its protocol carries them. */
      readonly content?: readonly ToolContent[]
      /** Facts to tell the client after the result, such as a widget. */
      readonly events?: readonly AgentEvent[]
      /** Ends the turn once the outcomes of this step are kept. */
      readonly ends?: boolean
      /** Appended to the output for the model only. */
      readonly notice?: string
      /** Joins `ctx.sessionState`, key by key: kept with the outcome. */
      readonly sessionState?: JsonObject
      /** Of this very result, in place of what the tool says. */
      readonly persistence?: Persistence
      /** What was taken out of the output: kept sealed, and known as `ctx.redacted`. */
      readonly redacted?: readonly RedactedValue[]
    }
  | {
      readonly status: 'error'
      readonly message: string
      readonly code?: string
      readonly output?: Json
      readonly notice?: string
      readonly redacted?: readonly RedactedValue[]
      /**
       * The part of the message that a target has written, and all that it wrote: what is
       * restricted is taken out of that.
       */
      readonly quotes?: Quotes
    }
  /** The outcome is what a person answers: the run parks until then. */
  | { readonly status: 'asks'; readonly question: QuestionDraft }

/** What a target says before the result of a call is there, such as a question that it asks. */
export interface TargetMessage {
  /** What it says on the whole: read as a result that is a text. */
  readonly text: string
  /** Short texts, such as the titles of fields: read as texts in ordinary fields of a result. */
  readonly labels: readonly string[]
  /** Values by the names of their fields, such as defaults: read as a result that is an object. */
  readonly data: JsonObject
}

/** A message of a target without what a result of the same call would not show. */
export interface ScrubbedMessage extends TargetMessage {
  /** Nothing says what the text holds: a mark stands in its place, and this says why. */
  readonly unread?: Failure
}

export interface ToolContext {
  readonly tenant: TenantId
  readonly session: SessionId
  readonly run: RunId
  readonly callId: CallId
  readonly principal: PrincipalId
  readonly roles: readonly string[]
  /** `context` of the message this run answers, as it was sent, without verification. */
  readonly context: Readonly<Record<string, string>>
  /**
   * What plugins keep for the session, by a key of their own: what results of earlier calls have
   * left in it (`sessionState`).
   */
  readonly sessionState: JsonObject
  readonly bundle: AgentBundle
  /** What the guards judged: send this, and nothing else. Set where the tool has an `action`. */
  readonly action?: Action
  /**
   * Calls another tool, or a hidden one that this tool names in `uses`, through the same guards. It
   * may do what this call was approved for; anything that needs more is the error
   * `APPROVAL_REQUIRED`.
   */
  readonly call: (inner: InnerCall) => Promise<ToolResult>
  /**
   * Calls a model outside of the conversation, on the budget of this run; absent where no run is
   * driven.
   */
  readonly ask?: (request: SideCallRequest) => Promise<Result<ModelResult, Failure>>
  /**
   * What people answered to questions of this very call that it asked with `resumes`, the oldest
   * first; left out where it asked none.
   */
  readonly answers?: readonly {
    readonly context: JsonObject
    readonly answer: JsonObject
    readonly principal: PrincipalId
  }[]
  /**
   * Values that this very call has recorded, on this try or on an earlier one; present where its
   * tool is `durable`.
   */
  readonly recorded?: {
    get(step: string): Json | undefined
    add(step: string, value: Json): Promise<Result<void, Failure>>
  }
  /**
   * Cleans what the target says before its result is there, as that result is cleaned. Whatever
   * shows something of it passes it through here first: the question that a tool asks, and what it
   * keeps of it. An error says why nothing of it may be shown.
   */
  readonly scrub: (message: TargetMessage) => Promise<Result<ScrubbedMessage, Failure>>
  /** `run:call`: the same on every try of this call, so that a target can drop a repeat. */
  readonly key: string
  readonly signal: AbortSignal
  /** What may still be sent outside, checked in the tick that sends. */
  readonly lease: Lease
  /** The way out of this call: bound to its lease, its key, its signal and its deadline. */
  readonly outbound: BoundOutbound
  readonly log: Logger
  /** Services of this run's scope. */
  readonly scope: { get<T>(token: Slot<T>): T; find<T>(token: Slot<T>): T | undefined }
  /**
   * Progress on the live stream only (`tool_log`, `tool_label_update`); facts belong into the
   * result.
   */
  readonly progress: (event: AgentEvent) => void
}

export interface ToolDefinition {
  /** Letters, digits, `_` and `-`; at most 64. */
  readonly name: string
  readonly description: string
  /** JSON Schema of an object; refused when empty. */
  readonly parameters: JsonObject
  /** Checks and types what the model sent; the error text goes back to the model. */
  readonly parse: (args: JsonObject) => Result<JsonObject, string>
  /** `true`: may be repeated and run concurrently with its siblings. Anything else is an effect. */
  readonly readOnly: boolean
  /** The target ignores a repeat with the same `ctx.key`, so an interrupted call is retried. */
  readonly keyed?: boolean
  /**
   * Its inner calls are recorded: a retry after a crash is given their results. A tool that says so
   * is `keyed`.
   */
  readonly durable?: boolean
  /** ms; 60,000 where it is not given. */
  readonly timeoutMs?: number
  readonly runningLabel?: string
  readonly completedLabel?: string
  readonly internal?: boolean
  /**
   * How long the model sees what it gives; {@link Persistence} says what each does. Left out: as
   * long as the conversation has room.
   */
  readonly resultPersistence?: Persistence
  /** `true`: the journal keeps what it gives, and no client sees it. */
  readonly private?: boolean
  /**
   * Characters of what it gives; the rest is cut with a marker. Left out: as many as the loop
   * keeps.
   */
  readonly outputChars?: number
  /** A sub-agent call: handled by *dispatching*. */
  readonly dispatches?: boolean
  /** The least approval that a call needs; `allow` where it is not given. */
  readonly tier?: 'allow' | 'confirm' | 'review'
  /** Not sent to the model: only tools that name it in `uses` can call it. */
  readonly hidden?: boolean
  /**
   * `ignore`: the call may run although untrusted text may have caused it; the author of the tool
   * declares this harmless.
   */
  readonly taint?: 'ignore'
  readonly uses?: readonly string[]
  /** Where it is defined, relative to the agent's folder, for those who look. */
  readonly file?: string
  /**
   * Of what it does, where that stands in files: a tool whose handler changed is another tool than
   * was approved.
   */
  readonly digest?: string
  /**
   * What a call does outside. An error text refuses the call. Pure: asked once, before the guards.
   */
  action?(args: JsonObject, bundle: AgentBundle): Result<Action, string>
  /**
   * The calls that it is known to make. Every guard checks each of them before this call begins,
   * and the strictest verdict applies to this call. Pure.
   */
  inner?(args: JsonObject, bundle: AgentBundle): Result<readonly InnerCall[], string>
  execute(args: JsonObject, ctx: ToolContext): Promise<ToolResult>
}

/** Tools made from the agent's files; asked once per bundle and generation. */
export interface ToolSource {
  tools(bundle: AgentBundle): readonly ToolDefinition[]
  /**
   * For sources outside of the files: called at the start of each turn; if the returned text has
   * changed, `tools` is called once more.
   */
  revision?(bundle: AgentBundle): string
  /**
   * Resolves when the first of them are known, or are not worth waiting for; a turn begins then.
   * Never rejects.
   */
  settled?(bundle: AgentBundle): Promise<void> | undefined
}

/**
 * Sources of tools by a name of their own (`stores`, `present`); the tools inside are keyed by
 * their names.
 */
export const Tools = registry<ToolSource>('tools')

/** The tools of one turn. `aliases` resolve when called but are not listed to the model. */
export interface ToolList {
  readonly tools: readonly ToolDefinition[]
  readonly aliases: Readonly<Record<string, string>>
  /**
   * Names of tools that the model does not see and cannot call until it has found them. Other tools
   * can call them.
   */
  readonly unlisted?: ReadonlySet<string>
}

/** Second names that are resolved when called: `write_x` → `store_x`. */
export const ToolAliases =
  registry<(bundle: AgentBundle) => Readonly<Record<string, string>>>('tool-aliases')

/**
 * Whether files say of what a call does that untrusted text may cause it; the key is the plugin's
 * own.
 */
export const TaintIgnored =
  registry<(action: Action, bundle: AgentBundle) => boolean>('taint-ignored')

/** A call with parsed arguments. Frozen before the guards see it; what runs is what they saw. */
export interface PreparedCall {
  readonly id: CallId
  readonly tool: ToolDefinition
  readonly args: JsonObject
  readonly action?: Action
  /** The call that makes this one. */
  readonly outer?: PreparedCall
}

/**
 * Changes nothing outside, so that it may be repeated freely: by its tool, or by what this very
 * call does.
 */
export const isReadOnly = ({ tool, action }: PreparedCall): boolean =>
  tool.readOnly || action?.effect === 'read'

/**
 * Whether an interrupted call may be retried under its key, because the target ignores a repeat:
 * declared by the tool, or by the target of this call.
 */
export const isKeyed = ({ tool, action }: PreparedCall): boolean =>
  tool.keyed === true || action?.keyed === true
