import { PluginError, type Failure } from '../errors.ts'
import type { RunEvent } from '../events.ts'
import type { Generation } from '../plugin.ts'
import type { CallId, PrincipalId, RunId, SessionId, TenantId } from '../ids.ts'
import {
  ENTRY_VERSION,
  type JournalEntry,
  type ModelReply,
  type RunEnded,
  type SequencedEntry,
} from '../journal/entry.ts'
import type { SessionLease } from '../journal/lease.ts'
import type { JournalWriter } from '../journal/writer.ts'
import type { Usage } from '../usage.ts'
import type { Logger } from '../ports/log.ts'
import type { InboxItem, SessionRef } from '../ports/journal-store.ts'
import type { Result } from '../result.ts'
import type { Clock } from '../time.ts'
import type { Progress, TurnContext } from './context.ts'
import { emitted } from './emit.ts'
import { RunScope, type SessionScope } from './run-scope.ts'
import type { AgentState, DriverRecord, StoredStateOf } from './state.ts'

type Draft<E> = E extends JournalEntry ? Omit<E, 'v' | 'run' | 'at'> : never
export type EntryDraft = Draft<JournalEntry>

/**
 * The result of a state handler: the entries to commit, and the next state. Deltas are in the live
 * log already.
 */
export interface Step {
  readonly entries: readonly JournalEntry[]
  readonly next: AgentState
}

/**
 * The reason why a turn is stopped from outside. `handover`: its run continues in the next
 * generation. `stalled`: it has made no progress for too long.
 */
export type Stop = 'cancelled' | 'lost' | 'handover' | 'deadline' | 'stalled'

/**
 * The history, to which entries are applied as they are staged. `stale`: it contains entries that
 * were discarded or changed afterwards, so it is not used for another turn.
 */
export interface HistoryProjection {
  stale: boolean
  apply(entry: JournalEntry, seq: number): void
}

/**
 * The live output of a turn. Each reader has a queue of its own, so that none slows the driver.
 */
export interface Output {
  run: string | undefined
  push(event: RunEvent, at: number): void
  /**
   * Emits the events of a committed entry.
   *
   * @param mayMovePosition `false`: frames of a later entry are out, such as the text of a reply
   *   that was sent before its commit. The position stays before that entry; a reader that resumes
   *   would get its frames twice otherwise
   */
  emit(seq: number, events: readonly RunEvent[], at: number, mayMovePosition: boolean): void
  /** All entries up to here are committed and emitted. */
  advance(head: number): void
  /** Discards the events emitted since the last commit. */
  reset(at: number): void
  end(how: 'done' | 'parked' | 'abandoned' | 'failed'): void
}

export interface TurnParts {
  readonly ref: SessionRef
  readonly record: DriverRecord
  readonly state: AgentState
  readonly generation: Generation
  /** The scope of this generation, session and principal; it outlives the run. */
  readonly sessionScope: SessionScope
  readonly history: HistoryProjection
  readonly writer: JournalWriter
  readonly lease: SessionLease
  readonly live: Output
  readonly clock: Clock
  readonly log: Logger
  /** A tap may answer in place of a person: it is called before the run parks with a question. */
  readonly canAutoAnswer: boolean
  /** The events of a committed entry. */
  readonly events: (entry: JournalEntry) => readonly RunEvent[]
  /** Aborts with a {@link Stop} as reason. */
  readonly stop: AbortSignal
  /** Entries of this run that were committed before this turn began. */
  readonly past: readonly SequencedEntry[]
  /** A previous owner crashed with this run: commit once before the first step. */
  readonly afterCrash: boolean
  /** Takes the controls that have arrived for the run; reads the inbox if none are known. */
  readonly readControls: () => Promise<Result<readonly InboxItem[], Failure>>
  /** Takes the controls that have arrived for the run, without reading the inbox. */
  readonly takeControls: () => readonly InboxItem[]
  /** Called when a commit has released the session: from then on any instance may claim it. */
  readonly onReleased: (state: AgentState) => void
  /**
   * Monotonic ms in which this process was running; time in which the machine slept is excluded.
   */
  readonly working: () => number
  /** Reports progress; `ms`: how long the next step may take. */
  readonly alive: (ms?: number) => void
}

/**
 * One turn: a stretch of a run in this process, from where it begins or resumes to its end, a
 * question or a handover. It is the context of taps, and the working state of handlers. A loop
 * extends it.
 */
export abstract class Turn<
  P extends TurnParts = TurnParts,
  E extends RunEvent = RunEvent,
> implements TurnContext {
  readonly parts: P
  readonly tenant: TenantId
  readonly session: SessionId
  readonly run: RunId
  readonly principal: PrincipalId
  readonly signal: AbortSignal
  readonly log: Logger
  record: P['record']
  state: AgentState
  /** The model's reply of the current step, as the journal has it. */
  reply: ModelReply | undefined
  /** Side entries: created outside of a state's step, staged with the entries of the next one. */
  readonly sideEntries: JournalEntry[] = []
  /** Calls that may have had their effect. */
  readonly startedEffects = new Set<CallId>()
  text = ''
  readonly #scope: RunScope
  /** Monotonic ms. */
  readonly #startedAt: number
  /** Entries of this run that are committed. */
  readonly #committed: SequencedEntry[]

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
    this.#startedAt = parts.working()
    this.#committed = [...parts.past]
    parts.live.run = this.run
    for (const entry of parts.past) {
      if (entry.kind === 'model_reply') this.reply = entry
      if (entry.kind === 'tool_intent') this.startedEffects.add(entry.call)
    }
  }

  get lease(): SessionLease {
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
  get entries(): readonly SequencedEntry[] {
    return [...this.#committed, ...this.parts.writer.staged]
  }
  get stopped(): Stop | undefined {
    return this.signal.aborted ? stopOf(this.signal.reason) : undefined
  }

  /**
   * The encrypted part of an entry, which only the owner of the run can read; `shown`: the entry
   * after its taps.
   */
  abstract sealed(entry: JournalEntry, shown: JournalEntry): string | undefined

  /** Fields of the entry that ends the run, in addition to those of the driver. */
  abstract totals(): Partial<RunEnded>

  close(): Promise<void> {
    return this.#scope.close()
  }

  /** Completes an entry of this run. */
  newEntry(draft: EntryDraft): JournalEntry {
    // the draft has the rest of its kind
    return { v: ENTRY_VERSION[draft.kind], run: this.run, at: this.parts.clock.now(), ...draft }
  }

  readonly progress: Progress<E> = (event) => {
    const { hooks } = this.parts.generation
    const shown = hooks.event.emit.tapped ? emitted(hooks, [event], this)[0] : event
    if (!shown) return
    this.parts.live.push(shown, this.parts.clock.now())
    if (hooks.event.sent.tapped) hooks.event.sent.call(shown, this)
  }

  /** Emits the events of committed entries. */
  emitCommitted(entries: readonly SequencedEntry[], head: number): void {
    this.#committed.push(...entries)
    const { live, clock, generation } = this.parts
    const { hooks } = generation
    // The frames of a reply are out before its commit, so entries before the reply do not move the
    // position.
    const reply = entries.findLastIndex(({ kind }) => kind === 'model_reply')
    for (const [index, entry] of entries.entries()) {
      const events = emitted(hooks, this.parts.events(entry), this)
      live.emit(entry.seq, events, clock.now(), index >= reply)
      if (hooks.event.sent.tapped) for (const event of events) hooks.event.sent.call(event, this)
    }
    live.advance(head)
  }

  storedState(state: AgentState): StoredStateOf<P['record']> {
    const elapsed = (this.parts.record.elapsed_ms ?? 0) + this.parts.working() - this.#startedAt
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
    case 'stalled':
      return reason
    default:
      return 'lost'
  }
}
