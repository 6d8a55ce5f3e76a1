import {
  type Page, type SessionPage, type AgentEvent, type AskId, type DoneReason, type Failure, type Image, type JsonObject,
  type PendingAsk, type Placed, type PrincipalId, type Result, type RunId, type RunLimitsRequest, type SessionId,
  type SessionRow, type SessionTotals, slot, type StateKind, type TenantId, type WireUsage,
} from '@amodal/kernel'
import type { AgentBundle, BundleFailure } from './bundle.ts'
import type { Frame, FrameId } from './frame.ts'
import type { ModelStatus } from './model.ts'
import type { CompiledPrompt } from './prompt.ts'
import type { ToolList } from './tool.ts'

/**
 * Frames for one reader. `take` gives all that are there now, so that a transport can write them at once;
 * `wait` resolves when there are more, or to `false` after the last one. Iterating does both.
 */
export interface FrameCursor extends AsyncIterable<Frame> {
  take(): readonly Frame[]
  wait(): Promise<boolean>
  /** Ends it; nothing is cancelled. */
  close(): void
}

export interface SendRequest {
  /** Left out: a new session. */
  readonly session?: SessionId
  /** `session` may be new: its id was made by the caller (`newSessionId`). Without it an unknown session is refused. */
  readonly create?: boolean
  readonly text: string
  readonly images?: readonly Image[]
  readonly context?: Readonly<Record<string, string>>
  /** The same key again is the same message (`Idempotency-Key`). */
  readonly key?: string
  readonly limits?: RunLimitsRequest
  readonly headers?: Readonly<Record<string, string>>
  /** A sub-agent's: its session belongs to this one, goes with it, and is in no list. With `session`, which is made where it is not there. */
  readonly parent?: { readonly session: SessionId; readonly agent: string }
  /** Joins what plugins keep for the session, such as that it begins in plan mode. */
  readonly sessionState?: JsonObject
}

/** Who asks, of whose data, and as what. */
export interface Caller {
  readonly tenant: TenantId
  readonly principal: PrincipalId
  readonly roles?: readonly string[]
  /** A sub-agent that asks on the principal's behalf. */
  readonly delegated?: boolean
  /** Sessions that others of the tenant began answer as unknown ones do. */
  readonly ownSessionsOnly?: boolean
}

/** A message that is kept: whatever dies now, it will be answered. */
export interface Sent {
  readonly session: SessionId
  readonly key: string
  /** `true`: this key had been accepted before; the frames are those of its turn. */
  readonly repeated: boolean
  /** `true`: a run is parked for a person, and this message waits until it has ended. */
  readonly waits: boolean
  /** Frames of this message's turn, from `init` to `done`. A reader that leaves cancels nothing. */
  readonly frames: FrameCursor
}

export interface AskAnswer { readonly id: AskId; readonly answer: JsonObject }

export interface SessionView {
  readonly row: SessionRow
  readonly state: StateKind | 'idle'
  readonly asks: readonly PendingAsk[]
  readonly entries: readonly Placed[]
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

export interface SessionChange { readonly title?: string; readonly tags?: readonly string[]; readonly meta?: JsonObject }

export interface Compilation {
  readonly prompt: CompiledPrompt
  readonly tools: ToolList
  readonly model: { readonly provider: string; readonly model: string; readonly notice?: string } | undefined
}

/** The agent for one tenant and principal. No method takes another tenant's name. */
export interface AgentFace {
  send(request: SendRequest, signal?: AbortSignal): Promise<Result<Sent, Failure>>
  /** `send`, read to its `done` or to the question it waits for. */
  ask(request: SendRequest, signal?: AbortSignal): Promise<Result<TurnResult, Failure>>
  answer(session: SessionId, answers: readonly AskAnswer[], signal?: AbortSignal): Promise<Result<{ readonly settled: readonly AskId[] }, Failure>>
  cancel(session: SessionId, signal?: AbortSignal): Promise<Result<{ readonly active: boolean }, Failure>>
  clear(session: SessionId, signal?: AbortSignal): Promise<Result<void, Failure>>
  fork(session: SessionId, at: number | undefined, signal?: AbortSignal): Promise<Result<SessionRow, Failure>>
  /**
   * Frames from a place on: gapless, or after a `reset`. Ends after `done` of the run in progress, or at once where none is.
   * With the `key` of a message: frames of its turn only, also where others stand before it.
   */
  follow(session: SessionId, from: FrameId | undefined, key?: string, signal?: AbortSignal): Promise<Result<FrameCursor, Failure>>
  /** What the tenant's sessions came to; of the caller alone where they may see no others. */
  totals(signal?: AbortSignal): Promise<Result<SessionTotals, Failure>>
  sessions(page: Page, signal?: AbortSignal): Promise<Result<SessionPage, Failure>>
  session(session: SessionId, signal?: AbortSignal): Promise<Result<SessionView, Failure>>
  update(session: SessionId, change: SessionChange, signal?: AbortSignal): Promise<Result<SessionRow, Failure>>
  remove(session: SessionId, signal?: AbortSignal): Promise<Result<void, Failure>>
}

/** The running agent. Provided by the kernel itself: `requires: { agent: Agent }`. */
export interface Agent {
  as(who: Caller): AgentFace
  /** The bundle that the next turn uses. */
  bundle(): AgentBundle | undefined
  /**
   * Loads the agent's files again, for the next turn. What is worse than the files in use is not taken: those serve on, and
   * the failure names every problem. Of a source that can, the edits beside a broken one are taken (`held` names the rest).
   */
  reloadBundle(signal?: AbortSignal): Promise<Result<AgentBundle, BundleFailure>>
  /** What the model would be sent now: prompt, tools, model. `roles`: for somebody who has these; left out: all that there is. */
  compiled(signal?: AbortSignal, roles?: readonly string[]): Promise<Result<Compilation, Failure>>
  models(): readonly ModelStatus[]
  status(): { readonly active: number; readonly resident: number; readonly ready: boolean; readonly problem?: Failure }
  /** Active runs, for `drain`. */
  runs(): readonly { readonly tenant: TenantId; readonly principal: PrincipalId; readonly session: SessionId; readonly run: RunId; readonly state: StateKind }[]
}

export const Agent = slot.kernel<Agent>('agent')
