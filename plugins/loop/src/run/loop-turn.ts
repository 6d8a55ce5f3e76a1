import {
  type AgentBundle,
  type AgentEvent,
  type AgentHooks,
  type Amount,
  type SideCallRequest,
  type BoundOutbound,
  type CallId,
  type Code,
  type Failure,
  type JournalEntry,
  type JsonObject,
  type Message,
  type ModelCall,
  type ModelResult,
  Outbound,
  type PreparedCall,
  type Result,
  type RunContext,
  type RunEnded,
  type RunRecord,
  Sealer,
  type TurnParts,
  type RedactedValue,
} from '@amodal/sdk'
import { boundOutbound, Turn, type ApprovalGrant } from '@amodal/sdk/loop'
import type { CompileCache } from '../tool-calls/compile.ts'
import type { History } from './history.ts'
import type { LiveLog } from '../streams/live-log.ts'
import { totalsOf } from './run-totals.ts'
import type { RuntimeSettings } from '../settings.ts'
import type { StoreTime } from '../leases/store-time.ts'

/** A call that was parsed, rewritten, frozen and guarded; or the reason why it is refused. */
export type Prepared =
  | {
      readonly kind: 'ready'
      readonly call: PreparedCall
      readonly argsHash: string
      readonly toolHash: string
      readonly actionHash: string
      readonly needs: 'nothing' | 'confirm' | 'review'
      readonly reasons: readonly string[]
      readonly context: JsonObject
    }
  | { readonly kind: 'refused'; readonly code: Code; readonly message: string }

export interface LoopParts extends TurnParts {
  readonly record: RunRecord
  /** The hooks of the turn's generation. */
  readonly hooks: AgentHooks
  readonly bundle: AgentBundle
  readonly history: History
  readonly live: LiveLog
  readonly settings: RuntimeSettings
  readonly compile: CompileCache
  readonly time: StoreTime
  /** Calls a model outside of the conversation. */
  readonly sideCall: (
    request: SideCallRequest,
    turn: LoopTurn,
  ) => Promise<Result<ModelResult, Failure>>
}

/** A turn with the state that the handlers of this loop share. */
export class LoopTurn extends Turn<LoopParts, AgentEvent> implements RunContext {
  /** Compactions since the last reply of the model. */
  compactions = 0
  /** The model call that `thinking` prepares for `streaming`. */
  modelCall: ModelCall | undefined
  /** The model call before routing and taps, from which a retry starts. */
  unroutedCall: ModelCall | undefined
  /** Budget reservations of open model calls. */
  readonly reservations = new Set<Amount>()
  readonly prepared = new Map<CallId, Prepared>()
  /** Redacted values of a result until its outcome is staged, which seals them. */
  readonly redactedByCall = new Map<CallId, readonly RedactedValue[]>()
  /** Resolves once the commits of entries within a state are over. */
  within: Promise<unknown> = Promise.resolve()
  /** Whether a tool of this step has ended the turn. */
  ends = this.parts.past.some((entry) => entry.kind === 'tool_outcome' && entry.ends === true)

  get hooks(): AgentHooks {
    return this.parts.hooks
  }
  get bundle(): AgentBundle {
    return this.parts.bundle
  }
  get messages(): readonly Message[] {
    return this.parts.history.messages
  }
  get sessionState(): JsonObject {
    return this.parts.history.sessionState
  }
  get messageState(): JsonObject {
    return this.parts.history.messageState
  }
  get startedAt(): number {
    return this.record.started_at
  }
  get context(): Readonly<Record<string, string>> {
    return this.parts.history.context
  }
  get trace(): string | undefined {
    return this.parts.history.trace
  }
  get grants(): readonly ApprovalGrant[] {
    return this.parts.history.grants
  }
  get redacted(): readonly RedactedValue[] {
    return this.parts.history.redacted
  }

  get outbound(): BoundOutbound {
    return boundOutbound(() => this.scope.find(Outbound), this)
  }

  readonly ask = (request: SideCallRequest): Promise<Result<ModelResult, Failure>> =>
    this.parts.sideCall(request, this)

  /** Adds redacted values, so that output redactors remove them from all texts of the session. */
  addRedacted(call: CallId, values: readonly RedactedValue[]): void {
    if (values.length === 0) return
    this.redactedByCall.set(call, [...(this.redactedByCall.get(call) ?? []), ...values])
    this.parts.history.redacted.push(...values)
  }

  /**
   * The data to seal with an entry: arguments that differ from the visible ones or await an
   * approval, and values redacted from a result or question.
   */
  override sealed(entry: JournalEntry, shown: JournalEntry): string | undefined {
    const unseen = this.#unseen(entry, shown)
    if (unseen === undefined) return undefined
    const sealed = this.parts.generation.scope
      .find(Sealer)
      ?.seal(this.parts.ref, JSON.stringify(unseen))
    return sealed?.ok ? sealed.value : undefined
  }

  override totals(): Partial<RunEnded> {
    return totalsOf([...this.entries, ...this.sideEntries])
  }

  #unseen(
    entry: JournalEntry,
    shown: JournalEntry,
  ): JsonObject | readonly RedactedValue[] | undefined {
    if (entry.kind === 'tool_outcome') return this.redactedByCall.get(entry.call)
    if (entry.kind === 'tool_intent') return shown === entry ? undefined : entry.args
    if (entry.kind !== 'input_asked' || !entry.call) return undefined
    if (entry.ask_type === 'question') return this.redactedByCall.get(entry.call)
    if (entry.ask_type !== 'approval') return undefined
    const approved = this.prepared.get(entry.call)
    return approved?.kind === 'ready' ? approved.call.args : undefined
  }
}
