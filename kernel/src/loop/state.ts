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
import type { LaneRow } from '../ports/session-store.ts'
import type { Usage } from '../usage.ts'

/**
 * Where one call of a step stands. `running` is committed for mutating calls only:
 * it says that the effect may have happened.
 */
export type CallPhase = 'queued' | 'held' | 'asked' | 'approved' | 'running' | 'settled'

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
  /** Its answer lets the call run again. */
  readonly resumes?: boolean
  readonly answered?: boolean
  /** A sub-agent asks: the answer is its own, and `call` is the one that it works for. */
  readonly child?: SessionId
}

/** `seen`: what it had written when it was last listened to. */
export interface ChildState {
  readonly call: CallId
  readonly child: SessionId
  readonly seen?: number
}

/**
 * Ids, hashes and counters only, so that a state can be stored at any moment; values live in
 * entries.
 */
export type AgentState =
  | { readonly kind: 'thinking'; readonly step: number }
  | { readonly kind: 'streaming'; readonly step: number; readonly attempt: number }
  | { readonly kind: 'executing'; readonly step: number; readonly calls: readonly CallState[] }
  | {
      readonly kind: 'confirming'
      readonly step: number
      readonly asks: readonly PendingAsk[]
      readonly calls: readonly CallState[]
      /** Sub-agents that ask. */ readonly children?: readonly ChildState[]
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
export type LiveStateKind = Exclude<StateKind, 'done'>

/**
 * Every legal move. `confirming` from `thinking` is continue-or-finish, from `dispatching` a
 * sub-agent's question; from itself, some of several questions were answered. `dispatching` from
 * itself: its sub-agents are written down, and begin. `compacting` from `streaming`: the model has
 * refused the call as too long.
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

/** What the lane keeps of a run between two commits. */
export interface RunRecord {
  readonly run: RunId
  readonly principal: PrincipalId
  readonly roles?: readonly string[]
  /** A sub-agent's, on the principal's behalf. */
  readonly delegated?: true
  readonly started_at: number
  /**
   * ms for which the run was driven, by whichever owner, up to the last commit. Clocks of several
   * instances are never compared.
   */
  readonly elapsed_ms?: number
  /** Entries after this one belong to the run. */
  readonly from: number
  readonly max_turns: number
  /** Tokens that the session may have used, where the request lowers the limit. */
  readonly max_tokens?: number
  /** The same in billionths of a dollar. */
  readonly max_cost?: number
  /** Seconds that it may take, where the request lowers the limit. */
  readonly max_seconds?: number
  readonly tier?: 'explore' | 'simple' | 'advanced'
  readonly usage: Usage
  readonly redirects: number
  readonly recovery: { readonly count: number; readonly since: number }
  readonly bundle: string
  readonly model?: { readonly provider: string; readonly model: string }
  /** The last turn of a run that was told to finish: no more tools. */
  readonly wrapping?: boolean
}

/** The content of `lanes.state`, version 1. */
export type LaneState =
  | { readonly v: 1; readonly kind: 'idle' }
  | { readonly v: 1; readonly kind: 'run'; readonly record: RunRecord; readonly state: AgentState }

export const IDLE: LaneState = { v: 1, kind: 'idle' }

/** No person: the product itself. */
export const SYSTEM = principalId('system')

/** What the lane keeps of a run; its version is checked where the run goes on. */
export const stateOf = (lane: { readonly state: string }): LaneState =>
  JSON.parse(lane.state) as LaneState // written by us

/** Nobody is at work in it, and nothing is left to do: what it told is all that it will tell. */
export const isAtRest = (lane: Pick<LaneRow, 'owner' | 'messages' | 'state'>): boolean =>
  lane.owner === undefined && lane.messages === 0 && stateOf(lane).kind === 'idle'

/** Sub-agents that work for a run. */
export const childrenOf = (lane: LaneState): readonly ChildState[] =>
  lane.kind === 'run' && 'children' in lane.state ? (lane.state.children ?? []) : []

/** Questions that a run waits with. */
export const openAsks = (lane: LaneState): readonly PendingAsk[] =>
  lane.kind === 'run' && lane.state.kind === 'confirming'
    ? lane.state.asks.filter(({ answered }) => !answered)
    : []
