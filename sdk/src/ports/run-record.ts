import { parseExact } from '../data/exact-number.ts'
import type { ChildState, DriverRecord, StoredStateOf } from '@amodal/kernel'

/** What the loop stores of a run between two commits. */
export interface RunRecord extends DriverRecord {
  /** Entries after this one belong to the run. */
  readonly from: number
  /** The most steps of the run: model calls, each with its tools. */
  readonly max_turns: number
  /** Tokens that the session may have used, where the request lowers the limit. */
  readonly max_tokens?: number
  /** The same in billionths of a dollar. */
  readonly max_cost?: number
  /** Seconds that the run may take, where the request lowers the limit. */
  readonly max_seconds?: number
  /** After `max_turns` steps a person is asked for more, whatever the agent's limits are. */
  readonly on_max_turns?: 'ask'
  readonly tier?: 'explore' | 'simple' | 'advanced'
  readonly recovery: { readonly count: number; readonly since: number }
  readonly bundle: string
  readonly model?: { readonly provider: string; readonly model: string }
  /** The last step of a run that has to finish: no more tools. */
  readonly wrapping?: boolean
}

/** The stored state of a session: no run, or a run in progress. */
export type StoredState = StoredStateOf<RunRecord>

/** Parses the stored state of a session; the version is checked where the run continues. */
export const stateOf = (session: { readonly state: string }): StoredState =>
  parseExact(session.state) as StoredState // written by us

/** Sub-agents that work for a run. */
export const childrenOf = (stored: StoredState): readonly ChildState[] =>
  stored.kind === 'run' && 'children' in stored.state ? (stored.state.children ?? []) : []
