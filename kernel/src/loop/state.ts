import type { Code } from '../errors.ts'
import type { AskType, DoneReason } from '../events.ts'
import {
  principalId,
  type AskId,
  type CallId,
  type PrincipalId,
  type RunId,
  type SessionId,
} from '../ids.ts'
import type { JsonObject } from '../json.ts'
import type { Usage } from '../usage.ts'

/**
 * The phase of one call of a step. `running` is committed for mutating calls only: the effect may
 * have happened.
 */
export type CallPhase = 'queued' | 'asked' | 'approved' | 'running' | 'settled'

export interface CallState {
  readonly id: CallId
  readonly name: string
  readonly phase: CallPhase
  readonly args_hash?: string
  readonly ask?: AskId
}

export interface PendingAsk {
  readonly id: AskId
  readonly type: AskType
  readonly call?: CallId
  readonly schema: JsonObject
  readonly context: JsonObject
  readonly expires_at?: number
  /** After the answer, the call runs once more. */
  readonly resumes?: boolean
  /** The call also runs once more where the question expires: it has waited for a time. */
  readonly wakes?: boolean
  readonly answered?: boolean
  /** The session of the sub-agent that asks; `call` is the call that started it. */
  readonly child?: SessionId
}

/** A sub-agent of a run. `seen`: the head of its journal when it was last read. */
export interface ChildState {
  readonly call: CallId
  readonly child: SessionId
  readonly seen?: number
}

/**
 * Small and plain JSON, so that a state can be stored at any moment: ids, hashes, counters, the
 * form of open questions, the error of a failed run. Messages and results are in entries.
 */
export type AgentState =
  | { readonly kind: 'thinking'; readonly step: number }
  | { readonly kind: 'streaming'; readonly step: number }
  | { readonly kind: 'executing'; readonly step: number; readonly calls: readonly CallState[] }
  | {
      readonly kind: 'confirming'
      readonly step: number
      readonly asks: readonly PendingAsk[]
      readonly calls: readonly CallState[]
      /** Sub-agents that have open questions. */ readonly children?: readonly ChildState[]
    }
  | {
      readonly kind: 'dispatching'
      readonly step: number
      readonly children: readonly ChildState[]
      readonly calls: readonly CallState[]
    }
  | { readonly kind: 'compacting'; readonly step: number; readonly cause: 'threshold' | 'overflow' }
  | {
      readonly kind: 'done'
      readonly reason: DoneReason
      readonly error?: { readonly code: Code; readonly message: string }
    }

export type StateKind = AgentState['kind']
export type ActiveKind = Exclude<StateKind, 'done'>

/**
 * Every legal move. `thinking` → `confirming`: continue or finish. `dispatching` → `confirming`: a
 * sub-agent asks. `confirming` → `confirming`: some of several questions were answered.
 * `dispatching` → `dispatching`: the sub-agents are committed and start. `streaming` →
 * `compacting`: the model refused the call as too long. `executing` → `compacting`: no handler does
 * it, only a hook may.
 */
export const NEXT: Readonly<Record<StateKind, readonly StateKind[]>> = {
  thinking: ['streaming', 'compacting', 'confirming', 'done'],
  streaming: ['executing', 'thinking', 'compacting', 'done'],
  executing: ['executing', 'confirming', 'dispatching', 'compacting', 'thinking', 'done'],
  confirming: ['confirming', 'executing', 'dispatching', 'thinking', 'done'],
  dispatching: ['dispatching', 'executing', 'confirming', 'thinking', 'done'],
  compacting: ['thinking', 'done'],
  done: [],
}

export const isLegal = (from: StateKind, to: StateKind): boolean => NEXT[from].includes(to)

/**
 * The state of a run that the driver stores between two commits. A loop may extend it: all fields
 * of the record are stored.
 */
export interface DriverRecord {
  readonly run: RunId
  readonly principal: PrincipalId
  readonly roles?: readonly string[]
  /** The run belongs to another run and acts on the principal's behalf. */
  readonly delegated?: true
  readonly started_at: number
  /**
   * ms for which the run was driven, by any owner, up to the last commit. Clocks of several
   * instances are never compared.
   */
  readonly elapsed_ms?: number
  readonly usage: Usage
  readonly redirects: number
}

/** The stored state of a session, version 1. `R`: the run record of the loop. */
export type StoredStateOf<R extends DriverRecord> =
  | { readonly v: 1; readonly kind: 'idle' }
  | { readonly v: 1; readonly kind: 'run'; readonly record: R; readonly state: AgentState }
type StoredState = StoredStateOf<DriverRecord>

export const IDLE: Extract<StoredState, { kind: 'idle' }> = { v: 1, kind: 'idle' }

/** The principal of the product itself. */
export const SYSTEM = principalId('system')

/** Questions that the run is parked for and that no person has answered. */
export const openAsks = (stored: StoredState): readonly PendingAsk[] =>
  stored.kind === 'run' && stored.state.kind === 'confirming'
    ? stored.state.asks.filter(({ answered }) => !answered)
    : []
