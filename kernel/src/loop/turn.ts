import { PluginError, type Failure } from '../errors.ts'
import type { AgentEvent } from '../events.ts'
import type { Generation } from '../generation.ts'
import type { CallId, PrincipalId, RunId, SessionId, TenantId } from '../ids.ts'
import type { InboxBody, JournalEntry, ModelReply, Placed } from '../journal/entry.ts'
import { ENTRY_VERSION } from '../journal/entry.ts'
import type { History } from '../journal/history.ts'
import type { LaneLease } from '../journal/lease.ts'
import { project } from '../journal/project.ts'
import type { JournalWriter } from '../journal/writer.ts'
import type { Usage } from '../messages.ts'
import type { AgentBundle } from '../ports/bundle.ts'
import type { Logger } from '../ports/log.ts'
import type { ModelCall } from '../ports/model.ts'
import { RunFacts, SessionFacts } from '../ports/session.ts'
import type { InboxItem, LaneRef } from '../ports/session-store.ts'
import type { PreparedCall } from '../ports/tool.ts'
import type { Result } from '../result.ts'
import type { Clock } from '../time.ts'
import type { Scope } from '../container.ts'
import type { Slot } from '../token.ts'
import type { CompileCache } from './compile.ts'
import type { RunContext } from './context.ts'
import type { LiveLog } from './live-log.ts'
import type { RuntimeSettings } from './settings.ts'
import type { AgentState, LaneState, RunRecord } from './state.ts'

type Draft<E> = E extends JournalEntry ? Omit<E, 'v' | 'run' | 'at'> : never
export type FactDraft = Draft<JournalEntry>

/** What a state handler comes to: what became true, and where to go. Deltas went to the live log already. */
export interface Step { readonly facts: readonly JournalEntry[]; readonly next: AgentState }

/** A call that was parsed, rewritten, frozen and guarded; or why it never runs. */
export type Prepared =
  | { readonly kind: 'ready'; readonly call: PreparedCall; readonly argsHash: string; readonly toolHash: string; readonly needs: 'nothing' | 'confirm' | 'review'; readonly reasons: readonly string[]; readonly context: import('../messages.ts').JsonObject }
  | { readonly kind: 'refused'; readonly code: import('../errors.ts').Code; readonly message: string }

/** Why a turn stops from outside. */
export type Stop = 'cancelled' | 'lost' | 'handover' | 'deadline' | 'stale'

export interface TurnParts {
  readonly ref: LaneRef
  readonly record: RunRecord
  readonly state: AgentState
  readonly generation: Generation
  readonly bundle: AgentBundle
  readonly history: History
  readonly writer: JournalWriter
  readonly lease: LaneLease
  readonly live: LiveLog
  readonly clock: Clock
  readonly settings: RuntimeSettings
  readonly compile: CompileCache
  readonly log: Logger
  /** Aborts with a {@link Stop} as reason. */
  readonly stop: AbortSignal
  /** Entries of this run that were committed before this process had it. */
  readonly past: readonly Placed[]
  readonly message: Extract<InboxBody, { kind: 'message' }> | undefined
  /** Reads what has arrived for the run from outside. */
  readonly controls: () => Promise<Result<readonly InboxItem[], Failure>>
  /** Called the moment the last commit is known: from then on the lane may be anybody's. */
  readonly ended: (released: boolean) => void
  /** A step forward was made; with ms: the next one may take that long. */
  readonly alive: (ms?: number) => void
}

/** One turn while this process drives it: the context that taps see, and what handlers work with. */
export class Turn implements RunContext {
  readonly parts: TurnParts
  readonly tenant: TenantId
  readonly session: SessionId
  readonly run: RunId
  readonly principal: PrincipalId
  readonly signal: AbortSignal
  readonly log: Logger
  record: RunRecord
  state: AgentState
  /** From thinking to streaming. */
  call: ModelCall | undefined
  /** Of the current step. */
  reply: ModelReply | undefined
  readonly prepared = new Map<CallId, Prepared>()
  /** Ids of calls this run has had: an effect's key is made of one. */
  readonly callIds = new Set<string>()
  text = ''
  /** Entries this process committed for the run. */
  readonly told: Placed[] = []
  /** A tool of this step said that the turn ends here. */
  ends = false
  #scope: Scope | undefined

  constructor(parts: TurnParts) {
    this.parts = parts
    this.tenant = parts.ref.tenant
    this.session = parts.ref.session
    this.record = parts.record
    this.state = parts.state
    this.run = parts.record.run
    this.principal = parts.record.principal
    this.signal = parts.stop
    this.log = parts.log
    parts.live.run = this.run
    for (const entry of parts.past) {
      if (entry.kind === 'tool_outcome' && entry.ends) this.ends = true
      if (entry.kind !== 'model_reply') continue
      this.reply = entry
      for (const call of entry.calls) this.callIds.add(call.id)
    }
  }

  get bundle(): AgentBundle { return this.parts.bundle }
  get lease(): LaneLease { return this.parts.lease }
  get hooks(): Generation['hooks'] { return this.parts.generation.hooks }
  get usage(): Usage { return this.record.usage }
  get step(): number { return 'step' in this.state ? this.state.step : 0 }
  /** Model calls of this run. */
  get callSteps(): number { return [...this.parts.past, ...this.told, ...this.parts.writer.staged].filter(({ kind }) => kind === 'model_reply').length }
  get stopped(): Stop | undefined { return this.signal.aborted ? stopOf(this.signal.reason) : undefined }

  get scope(): { get<T>(token: Slot<T>): T; find<T>(token: Slot<T>): T | undefined } {
    if (!this.#scope) {
      const { tenant, session, principal, run, signal } = this
      const inner = this.parts.generation.scope.child('session', [[SessionFacts, { tenant, session, principal }]])
      this.#scope = inner.child('run', [[RunFacts, { run, signal }]])
    }
    return this.#scope
  }

  async close(): Promise<void> {
    await this.#scope?.close()
  }

  /** Completes an entry of this run. */
  fact(draft: FactDraft): JournalEntry {
    return { v: ENTRY_VERSION[draft.kind], run: this.run, at: this.parts.clock.now(), ...draft } as JournalEntry // the draft has the rest of its kind
  }

  readonly progress = (event: AgentEvent): void => {
    const shown = this.shown(event)
    if (!shown) return
    this.parts.live.push(shown, this.parts.clock.now())
    if (this.hooks.event.sent.tapped) this.hooks.event.sent.call(shown, this)
  }

  /** The event after its last rewrite; withheld where that failed, but `done` always gets out. */
  shown(event: AgentEvent): AgentEvent | undefined {
    if (!this.hooks.event.emit.tapped) return event
    const emitted = this.hooks.event.emit.call(event, this)
    if (emitted.ok) return emitted.value
    return event.type === 'done' ? { type: 'done', reason: event.reason } : undefined
  }

  /** Tells readers what a commit made true. */
  tell(entries: readonly Placed[], head: number): void {
    this.told.push(...entries)
    const { live, clock } = this.parts
    for (const entry of entries) {
      const events = project(entry, true).flatMap((event) => this.shown(event) ?? [])
      live.tell(entry.seq, events, clock.now())
      if (this.hooks.event.sent.tapped) for (const event of events) this.hooks.event.sent.call(event, this)
    }
    live.advance(head)
  }

  laneState(state: AgentState): LaneState {
    return { v: 1, kind: 'run', record: this.record, state }
  }

  done(failure: Failure | PluginError): AgentState {
    const { code, message } = PluginError.is(failure) ? failure.toFailure() : failure
    return { kind: 'done', reason: 'error', error: { code, message } }
  }
}

export function stopOf(reason: unknown): Stop {
  switch (reason) {
    case 'cancelled': case 'lost': case 'handover': case 'deadline': case 'stale': return reason
    default: return 'lost'
  }
}
