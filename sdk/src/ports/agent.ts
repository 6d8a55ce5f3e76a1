import {
  type AssetRef,
  type AskId,
  type CallId,
  type DoneReason,
  type Failure,
  type Json,
  type JsonObject,
  type PendingAsk,
  type SequencedEntry,
  type PrincipalId,
  type Result,
  type RunId,
  type SessionId,
  slot,
  type StateKind,
  type TenantId,
} from '@amodal/kernel'
import type { AssetInput } from './asset-store.ts'
import type { RunLimitsRequest, Settlement } from './inbox.ts'
import type { AgentEvent, WireUsage } from '../agent-event.ts'
import type { Page, SessionPage, SessionRow, SessionTotals } from './session-store.ts'
import type { AgentBundle, BundleFailure } from './bundle.ts'
import type { SessionKind } from './retention.ts'
import type { Frame, FrameId } from './frame.ts'
import type { ModelStatus } from './model.ts'
import type { CompiledPrompt } from './prompt.ts'
import type { ToolList } from './tool.ts'

/**
 * Frames for one reader. `take` gives all that are there now, so that a transport can write them at
 * once; `wait` resolves when there are more, or to `false` after the last one. Iterating does both.
 */
export interface FrameCursor extends AsyncIterable<Frame> {
  take(): readonly Frame[]
  wait(): Promise<boolean>
  /** Ends it; nothing is cancelled. */
  close(): void
}

/** Frames of a session from a place on. */
export interface FollowCursor extends FrameCursor {
  /**
   * Nothing ran, waited or was queued in the session: after what is recorded of it the frames end.
   * Left out: not known.
   */
  readonly atRest?: boolean
}

export interface SendRequest {
  /** Left out: a new session. */
  readonly session?: SessionId
  /**
   * `session` may be new: its id was made by the caller (`newSessionId`). Without it an unknown
   * session is refused.
   */
  readonly create?: boolean
  readonly text: string
  /** Files that go with it. */
  readonly assets?: readonly AssetInput[]
  readonly context?: Readonly<Record<string, string>>
  /** Idempotency key (`Idempotency-Key`): requests with the same key are one message. */
  readonly key?: string
  readonly limits?: RunLimitsRequest
  readonly headers?: Readonly<Record<string, string>>
  /**
   * A sub-agent's: its session belongs to this one, goes with it, and is in no list. With
   * `session`, which is made where it is not there.
   */
  readonly parent?: { readonly session: SessionId; readonly agent: string }
  /** What the session is for, where this message begins it: a chat where it is left out. */
  readonly kind?: SessionKind
  /** Also emits `llm_start`, `llm_end` and `retry`, which are left out by default. */
  readonly events?: 'all'
  /** Joins what plugins keep for the session, such as that it begins in plan mode. */
  readonly sessionState?: JsonObject
}

/** The principal, tenant and roles that a request acts with. */
export interface Caller {
  readonly tenant: TenantId
  readonly principal: PrincipalId
  readonly roles?: readonly string[]
  /** A sub-agent that asks on the principal's behalf. */
  readonly delegated?: boolean
  /** Sessions that others of the tenant began answer as unknown ones do. */
  readonly ownSessionsOnly?: boolean
  /**
   * Set: may ask, but decides nothing that waits for a person: no answers to questions, no outcome
   * of a call, no continuing of what was set aside. Says why, and what to do.
   */
  readonly mayNotDecide?: string
}

/** An accepted message: it is stored and survives a crash of this process. */
export interface Sent {
  readonly session: SessionId
  readonly key: string
  /** `true`: this key had been accepted before; the frames are those of its turn. */
  readonly repeated: boolean
  /** `true`: a run is parked for a person, and this message waits until it has ended. */
  readonly isBehindQuestion: boolean
  /** Frames of this message's turn, from `init` to `done`. A reader that leaves cancels nothing. */
  readonly frames: FrameCursor
}

export interface AskAnswer {
  readonly id: AskId
  readonly answer: JsonObject
}

export interface SessionView {
  readonly row: SessionRow
  readonly state: StateKind | 'idle'
  readonly asks: readonly PendingAsk[]
  /** Effects of unknown outcome that are not settled. */
  readonly unknown: readonly UnknownCall[]
  readonly entries: readonly SequencedEntry[]
}

/** A message that is accepted, and that no entry of the journal tells of yet. */
export interface QueuedMessage {
  readonly key: string
  readonly text: string
  readonly assets?: readonly AssetRef[]
}

/** An effect that may or may not have happened. */
export interface UnknownCall {
  readonly call: CallId
  readonly name: string
  /** ms since the epoch. */
  readonly at: number
  /** The idempotency key that its target knows it by. */
  readonly key: string
  /** Whether it can be retried under its key. */
  readonly retry: boolean
  readonly args?: JsonObject
}

/** What one turn came to, for callers that want no stream. */
export interface TurnResult {
  readonly session: SessionId
  readonly text: string
  readonly events: readonly AgentEvent[]
  readonly reason: DoneReason | undefined
  readonly usage: WireUsage | undefined
  /** Set when the turn waits for a person instead of having ended. */
  readonly pending: readonly PendingAsk[]
}

export interface SessionChange {
  readonly title?: string
  readonly tags?: readonly string[]
  readonly meta?: JsonObject
}

export interface NewSession extends SessionChange {
  /** For those who say whose the session is. */
  readonly headers?: Readonly<Record<string, string>>
  /** Idempotency key: requests with the same key are one session. */
  readonly key?: string
}

export interface Compilation {
  readonly prompt: CompiledPrompt
  readonly tools: ToolList
  readonly model:
    | {
        readonly provider: string
        readonly model: string
        readonly notice?: string
        /** What it cannot take of its configuration and of the tools. */
        readonly unsupported?: readonly string[]
      }
    | undefined
}

/** The agent for one tenant and principal. No method takes another tenant's name. */
export interface AgentClient {
  send(request: SendRequest, signal?: AbortSignal): Promise<Result<Sent, Failure>>
  /** `send`, read to its `done` or to the question it waits for. */
  ask(request: SendRequest, signal?: AbortSignal): Promise<Result<TurnResult, Failure>>
  answer(
    session: SessionId,
    answers: readonly AskAnswer[],
    signal?: AbortSignal,
  ): Promise<Result<{ readonly settled: readonly AskId[] }, Failure>>
  cancel(
    session: SessionId,
    signal?: AbortSignal,
  ): Promise<Result<{ readonly active: boolean }, Failure>>
  clear(session: SessionId, signal?: AbortSignal): Promise<Result<void, Failure>>
  /**
   * Has a plugin change what it keeps for the session ({@link SessionChanges}), behind the turn in
   * progress. Refused with `RUN_ACTIVE` (409) where a run waits for a person, and with what the
   * plugin says.
   *
   * @returns what the plugin answers, once it is committed
   */
  change(
    session: SessionId,
    plugin: string,
    change: JsonObject,
    signal?: AbortSignal,
  ): Promise<Result<Json, Failure>>
  /** Continues a session that was set aside. {@link AgentClient.cancel} ends its run instead. */
  retry(session: SessionId, signal?: AbortSignal): Promise<Result<void, Failure>>
  /**
   * Sessions that need a decision of a person: set aside, or with effects of unknown outcome.
   * Includes sessions of sub-agents.
   */
  troubled(signal?: AbortSignal): Promise<Result<readonly SessionRow[], Failure>>
  /**
   * Settles an effect of unknown outcome: it happened, it did not happen, or it is retried under
   * its key. The model sees the settlement with the next message. `settled: false`: the
   * settlement is still queued, or the outcome of the retry is unknown as well.
   */
  settle(
    session: SessionId,
    call: CallId,
    settlement: Settlement,
    signal?: AbortSignal,
  ): Promise<Result<{ readonly settled: boolean }, Failure>>
  fork(
    session: SessionId,
    at: number | undefined,
    signal?: AbortSignal,
  ): Promise<Result<SessionRow, Failure>>
  /**
   * Frames from a place on: gapless, or after a `reset`. Ends after `done` of the run in progress,
   * or at once where none is. With the `key` of a message: frames of its turn only, also where
   * others stand before it. `events` is that of {@link SendRequest}.
   */
  follow(
    session: SessionId,
    from: FrameId | undefined,
    key?: string,
    signal?: AbortSignal,
    events?: SendRequest['events'],
  ): Promise<Result<FollowCursor, Failure>>
  /** What the tenant's sessions came to; of the caller alone where they may see no others. */
  totals(signal?: AbortSignal): Promise<Result<SessionTotals, Failure>>
  /** A session without a message. */
  open(request?: NewSession, signal?: AbortSignal): Promise<Result<SessionRow, Failure>>
  /** How many sessions wait for a person. */
  waiting(signal?: AbortSignal): Promise<Result<number, Failure>>
  /** Without `kinds`, those of the admin agent are left out. */
  sessions(page: Page, signal?: AbortSignal): Promise<Result<SessionPage, Failure>>
  /**
   * @param after the last entry that is known: `entries` and `unknown` are of what came behind it.
   *   Left out: all of them
   * @param upto the last entry that is wanted; left out: up to the newest
   */
  session(
    session: SessionId,
    signal?: AbortSignal,
    after?: number,
    upto?: number,
  ): Promise<Result<SessionView, Failure>>
  /**
   * Messages of a session that its history does not have yet, oldest first: the first is the one
   * that is being answered, unless the run that is in the history goes on. Read before the history,
   * none is missed.
   */
  queued(
    session: SessionId,
    signal?: AbortSignal,
  ): Promise<Result<readonly QueuedMessage[], Failure>>
  update(
    session: SessionId,
    change: SessionChange,
    signal?: AbortSignal,
  ): Promise<Result<SessionRow, Failure>>
  remove(session: SessionId, signal?: AbortSignal): Promise<Result<void, Failure>>
}

/** Sessions of this process; the last two are counted from its start. */
export interface SessionCounts {
  /** Sessions that are served now. */
  readonly owned: number
  /** Messages that wait in them, as of the last renewal of their leases. */
  readonly waiting: number
  /** Sessions that were taken over from processes that were lost. */
  readonly takenOver: number
  /** Runs that were set aside for a person, since they stopped their servers. */
  readonly setAside: number
}

/** The running agent. Provided by the plugin `loop`: `requires: { agent: Agent }`. */
export interface Agent {
  as(caller: Caller): AgentClient
  /** The bundle that the next turn uses. */
  bundle(): AgentBundle | undefined
  /**
   * Reloads the agent's files, for the next turn. A bundle with an error that the current one does
   * not have is refused: the current files stay in use, and the failure lists every problem. If the
   * source supports it, valid edits are used although another edit is broken (`held` lists the
   * broken ones).
   */
  reloadBundle(signal?: AbortSignal): Promise<Result<AgentBundle, BundleFailure>>
  /**
   * What a model call would contain now: prompt, tools, model.
   *
   * @param roles for a caller with these roles; omitted: everything
   * @param caller whose first message it would be: also runs the taps of `tools.list` and
   *   `prompt.compile`. Default: the parts that are common to all callers
   */
  compiled(
    signal?: AbortSignal,
    roles?: readonly string[],
    caller?: Caller,
  ): Promise<Result<Compilation, Failure>>
  models(): readonly ModelStatus[]
  /**
   * `resident`: idle sessions whose history is in memory. `memory`: about how many bytes they take,
   * and how many they may. `ready`: the agent's files are loaded, and the first takeover of runs
   * that lost processes left is done. Messages are accepted before that.
   */
  status(): {
    readonly active: number
    readonly resident: number
    readonly ready: boolean
    readonly problem?: Failure
    readonly memory?: { readonly bytes: number; readonly limit: number }
    readonly sessions?: SessionCounts
  }
  /** Active runs, for `drain`. */
  runs(): readonly {
    readonly tenant: TenantId
    readonly principal: PrincipalId
    readonly session: SessionId
    readonly run: RunId
    readonly state: StateKind
  }[]
}

export const Agent = slot.kernel<Agent>('agent')
