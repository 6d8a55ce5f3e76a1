import type { AgentEvent, ToolContent } from '../events.ts'
import type { CallId, PrincipalId, RunId, SessionId, TenantId } from '../ids.ts'
import type { Json, JsonObject } from '../messages.ts'
import type { Result } from '../result.ts'
import { registry, slot, type Slot } from '../token.ts'
import type { AgentBundle } from './bundle.ts'
import type { Lease } from '../journal/lease.ts'
import type { Logger } from './log.ts'
import type { QuestionDraft } from './ask.ts'

/** What came of a tool. An error is an observation for the model, never an exception that ends the run. */
export type ToolResult =
  | {
      readonly status: 'success'
      readonly output: Json
      readonly content?: readonly ToolContent[]
      /** Facts to tell the client after the result, such as a widget. */
      readonly events?: readonly AgentEvent[]
      /** Ends the turn once the outcomes of this step are kept. */
      readonly ends?: boolean
    }
  | { readonly status: 'error'; readonly message: string; readonly code?: string; readonly output?: Json }
  /** The outcome is what a person answers: the run parks until then. */
  | { readonly status: 'asks'; readonly question: QuestionDraft }

export interface ToolContext {
  readonly tenant: TenantId
  readonly session: SessionId
  readonly run: RunId
  readonly call: CallId
  readonly principal: PrincipalId
  readonly bundle: AgentBundle
  /** `run:call`: the same on every try of this call, so that a target can drop a repeat. */
  readonly key: string
  readonly signal: AbortSignal
  /** What may still be sent outside, checked in the tick that sends. */
  readonly lease: Lease
  readonly log: Logger
  /** Services of this run's scope. */
  readonly scope: { get<T>(token: Slot<T>): T; find<T>(token: Slot<T>): T | undefined }
  /** Progress on the live stream only (`tool_log`, `tool_label_update`); facts belong into the result. */
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
  /** `true`: may be repeated freely and run beside its siblings. Anything else is an effect. */
  readonly readOnly: boolean
  /** The target drops a repeat with the same `ctx.key`, so an interrupted call is made again. */
  readonly keyed?: boolean
  /** ms; 60,000 where it is not given. */
  readonly timeoutMs?: number
  readonly runningLabel?: string
  readonly completedLabel?: string
  readonly internal?: boolean
  /** A sub-agent call: handled by *dispatching*. */
  readonly dispatches?: boolean
  execute(args: JsonObject, ctx: ToolContext): Promise<ToolResult>
}

/** Tools made from the agent's files; asked once per bundle and generation. */
export interface ToolSource { tools(bundle: AgentBundle): readonly ToolDefinition[] }

/** Sources of tools by a name of their own (`stores`, `present`); the tools inside are keyed by their names. */
export const Tools = registry<ToolSource>('tools')

/** The tools of one turn. `aliases` resolve when called but are not listed to the model. */
export interface ToolList { readonly tools: readonly ToolDefinition[]; readonly aliases: Readonly<Record<string, string>> }

/** Second names that are resolved when called: `write_x` → `store_x`. */
export const ToolAliases = registry<(bundle: AgentBundle) => Readonly<Record<string, string>>>('tool-aliases')

/** A call with parsed arguments. Frozen before the guards see it; what runs is what they saw. */
export interface PreparedCall {
  readonly id: CallId
  readonly tool: ToolDefinition
  readonly args: JsonObject
}

export type VerdictLevel = 'allow' | 'confirm' | 'review' | 'deny'
export const VERDICT_ORDER: Readonly<Record<VerdictLevel, number>> = { allow: 0, confirm: 1, review: 2, deny: 3 }

/** What the guards say of a call. It is only ever raised. */
export interface Verdict {
  readonly level: VerdictLevel
  readonly reasons: readonly string[]
  /** For the person who decides: endpoint, method, what it does. */
  readonly context: JsonObject
  raise(level: VerdictLevel, reason: string, context?: JsonObject): Verdict
}

export function verdict(level: VerdictLevel = 'allow', reasons: readonly string[] = [], context: JsonObject = {}): Verdict {
  return Object.freeze({
    level, reasons, context,
    raise(to: VerdictLevel, reason: string, more: JsonObject = {}): Verdict {
      const higher = VERDICT_ORDER[to] > VERDICT_ORDER[level] ? to : level
      return verdict(higher, [...reasons, reason], { ...context, ...more })
    },
  })
}

/** Cleans results before any tap, the model or the journal sees them. */
export interface Scrubber { scrub(result: ToolResult, call: PreparedCall): Promise<ToolResult> }
export const Scrubber = slot.kernel<Scrubber>('scrubber')
