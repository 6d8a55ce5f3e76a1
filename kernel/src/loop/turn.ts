import { PluginError, type Failure } from '../errors.ts'
import type { AgentEvent } from '../events.ts'
import type { Generation } from '../generation.ts'
import type { CallId, PrincipalId, RunId, SessionId, TenantId } from '../ids.ts'
import { ENTRY_VERSION, type JournalEntry, type ModelReply, type Placed } from '../journal/entry.ts'
import type { LaneLease } from '../journal/lease.ts'
import type { JournalWriter } from '../journal/writer.ts'
import type { Usage } from '../usage.ts'
import type { Logger } from '../ports/log.ts'
import type { InboxItem, LaneRef } from '../ports/session-store.ts'
import type { Result } from '../result.ts'
import type { Clock } from '../time.ts'
import type { TurnContext } from './context.ts'
import { emitted } from './emit.ts'
import { RunScope, type SessionScope } from './run-scope.ts'
import type { AgentState, LaneState, RunRecord } from './state.ts'

type Draft<E> = E extends JournalEntry ? Omit<E, 'v' | 'run' | 'at'> : never
export type FactDraft = Draft<JournalEntry>

/**
 * What a state handler comes to: what became true, and where to go. Deltas went to the live log
 * already.
 */
export interface Step {
  readonly facts: readonly JournalEntry[]
  readonly next: AgentState
}

/** Why a turn stops from outside. */
export type Stop = 'cancelled' | 'lost' | 'handover' | 'deadline' | 'stale'

/**
 * The history that entries are folded into as they are staged. `stale`: it holds what was never
 * committed.
 */
export interface Fold {
  stale: boolean
  apply(entry: JournalEntry, seq: number): void
}

/**
 * Where a turn tells what happens: readers are cursors on it, and none of them slows the driver.
 */
export interface Output {
  run: string | undefined
  push(event: AgentEvent, at: number): void
  /** Events of a committed entry. @param whole nothing of a later entry was told ahead of it */
  tell(seq: number, events: readonly AgentEvent[], at: number, whole: boolean): void
  /** All entries up to here are committed and told. */
  advance(head: number): void
  /** What was told since the last commit is void. */
  reset(at: number): void
  end(how: 'done' | 'parked' | 'left' | 'doubt'): void
}

export interface TurnParts {
  readonly ref: LaneRef
  readonly record: RunRecord
  readonly state: AgentState
  readonly generation: Generation
  /** Of this generation, session and principal: its services go on after this run. */
  readonly sessionScope: SessionScope
  readonly history: Fold
  readonly writer: JournalWriter
  readonly lease: LaneLease
  readonly live: Output
  readonly clock: Clock
  readonly log: Logger
  /**
   * Somebody here may answer in place of a person: a question is put to them before the run parks
   * with it.
   */
  readonly answers: boolean
  /** The events that a committed entry makes true. */
  readonly events: (entry: JournalEntry) => readonly AgentEvent[]
  /** Aborts with a {@link Stop} as reason. */
  readonly stop: AbortSignal
  /** Entries of this run that were committed before this process had it. */
  readonly past: readonly Placed[]
  /** Somebody may have died of this run: it is written down before it is tried again. */
  readonly again: boolean
  /**
   * Takes what has arrived for the run from outside; looks into the inbox where nothing is known to
   * have.
   */
  readonly controls: () => Promise<Result<readonly InboxItem[], Failure>>
  /** What has arrived and was not taken. */
  readonly heard: () => readonly InboxItem[]
  /** Called the moment a commit has let go of the lane: from then on it may be anybody's. */
  readonly released: (state: AgentState) => void
  /**
   * Monotonic ms in which this process could work: while a machine sleeps, nothing counts against
   * the run.
   */
  readonly working: () => number
  /** A step forward was made; with ms: the next one may take that long. */
  readonly alive: (ms?: number) => void
}

/**
 * One turn while this process drives it: the context that taps see, and what handlers work with. A
 * loop makes its own of it.
 */
export abstract class Turn<P extends TurnParts = TurnParts> implements TurnContext {
  readonly parts: P
  readonly tenant: TenantId
  readonly session: SessionId
  readonly run: RunId
  readonly principal: PrincipalId
  readonly signal: AbortSignal
  readonly log: Logger
  record: RunRecord
  state: AgentState
  /** Of the current step, as the model gave it. */
  reply: ModelReply | undefined
  /**
   * Entries that came about beside the states, whenever that was: they are staged with the next
   * ones.
   */
  readonly beside: JournalEntry[] = []
  /** Calls that may have had their effect. */
  readonly begun = new Set<CallId>()
  text = ''
  readonly #scope: RunScope
  /** Monotonic ms. */
  readonly #begun: number
  /** Entries of this run that are committed. */
  readonly #kept: Placed[]

  constructor(parts: P) {
    this.parts = parts
    this.tenant = parts.ref.tenant
    this.session = parts.ref.session
    this.record = parts.record
    this.state = parts.state
    this.run = parts.record.run
    this.principal = parts.record.principal
    this.signal = parts.stop
    this.log = parts.log
    this.#scope = new RunScope(parts.generation, this, parts.sessionScope)
    this.#begun = parts.working()
    this.#kept = [...parts.past]
    parts.live.run = this.run
    for (const entry of parts.past) {
      if (entry.kind === 'model_reply') this.reply = entry
      if (entry.kind === 'tool_intent') this.begun.add(entry.call)
    }
  }

  get lease(): LaneLease {
    return this.parts.lease
  }
  get usage(): Usage {
    return this.record.usage
  }
  get roles(): readonly string[] {
    return this.record.roles ?? []
  }
  get delegated(): boolean {
    return this.record.delegated === true
  }
  get step(): number {
    return 'step' in this.state ? this.state.step : 0
  }
  get scope(): TurnContext['scope'] {
    return this.#scope.scope
  }
  /** The entries of this run so far, committed or about to be. */
  get entries(): readonly Placed[] {
    return [...this.#kept, ...this.parts.writer.staged]
  }
  get stopped(): Stop | undefined {
    return this.signal.aborted ? stopOf(this.signal.reason) : undefined
  }

  /**
   * What of an entry nobody may read but who goes on with the run, encrypted; `shown` is what its
   * taps have left of it.
   */
  abstract sealed(fact: JournalEntry, shown: JournalEntry): string | undefined

  close(): Promise<void> {
    return this.#scope.close()
  }

  /** Completes an entry of this run. */
  fact(draft: FactDraft): JournalEntry {
    // the draft has the rest of its kind
    return { v: ENTRY_VERSION[draft.kind], run: this.run, at: this.parts.clock.now(), ...draft }
  }

  readonly progress = (event: AgentEvent): void => {
    const { hooks } = this.parts.generation
    const shown = hooks.event.emit.tapped ? emitted(hooks, [event], this)[0] : event
    if (!shown) return
    this.parts.live.push(shown, this.parts.clock.now())
    if (hooks.event.sent.tapped) hooks.event.sent.call(shown, this)
  }

  /** Tells readers what a commit made true. */
  tell(entries: readonly Placed[], head: number): void {
    this.#kept.push(...entries)
    const {
      live,
      clock,
      generation: { hooks },
    } = this.parts
    // its text was told as it came
    const reply = entries.findLastIndex(({ kind }) => kind === 'model_reply')
    for (const [index, entry] of entries.entries()) {
      const events = emitted(hooks, this.parts.events(entry), this)
      live.tell(entry.seq, events, clock.now(), index >= reply)
      if (hooks.event.sent.tapped) for (const event of events) hooks.event.sent.call(event, this)
    }
    live.advance(head)
  }

  laneState(state: AgentState): LaneState {
    const elapsed = (this.parts.record.elapsed_ms ?? 0) + this.parts.working() - this.#begun
    return { v: 1, kind: 'run', record: { ...this.record, elapsed_ms: Math.round(elapsed) }, state }
  }

  done(failure: Failure | PluginError): AgentState {
    const { code, message } = PluginError.is(failure) ? failure.toFailure() : failure
    return { kind: 'done', reason: 'error', error: { code, message } }
  }
}

function stopOf(reason: unknown): Stop {
  switch (reason) {
    case 'cancelled':
    case 'lost':
    case 'handover':
    case 'deadline':
    case 'stale':
      return reason
    default:
      return 'lost'
  }
}
