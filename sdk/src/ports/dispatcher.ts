import {
  slot,
  type CallId,
  type ChildOpened,
  type ChildState,
  type InputAsked,
  type JsonObject,
  type PendingAsk,
  type SessionId,
  type Usage,
} from '@amodal/kernel'
import type { RunContext } from './run-context.ts'

/**
 * A sub-agent that is about to begin, or why there is none. Its session has the same id on every
 * try.
 */
export type ChildDraft =
  | {
      readonly call: CallId
      readonly child: SessionId
      readonly agent: string
      readonly prompt: string
      readonly options?: JsonObject
    }
  | { readonly call: CallId; readonly refused: string }

/** A question of a sub-agent, as in its own session. */
export interface ChildAsk {
  readonly ask: PendingAsk
  readonly question: Pick<InputAsked, 'name' | 'questions'>
}

/**
 * What came of a sub-agent: its end, or questions that a person has to answer before it goes on.
 */
export type ChildOutcome =
  | {
      readonly call: CallId
      readonly status: 'success' | 'error' | 'unknown'
      readonly summary: string
      readonly usage: Usage
      /** Billionths of a dollar, its own sub-agents included. */ readonly cost?: number
      readonly ms?: number
    }
  | {
      readonly call: CallId
      readonly status: 'asks'
      readonly asks: readonly ChildAsk[]
      readonly seen: number
    }

/** A sub-agent that is written down in its parent's journal. */
export type OpenChild = ChildOpened & Pick<ChildState, 'seen'>

/** Runs the sub-agent calls of a step together: *dispatching*. */
export interface Dispatcher {
  /** Which sub-agents the calls mean; nothing begins yet. */
  open(
    calls: readonly { readonly call: CallId; readonly args: JsonObject }[],
    ctx: RunContext,
  ): readonly ChildDraft[]
  /**
   * Runs the sub-agents until each has ended or asks a person. After a crash or an answer it is
   * called with the same ones: those that have begun are continued, not started twice. If
   * `ctx.signal` aborts with `cancelled` or `deadline`, they end; with any other reason another
   * instance continues them.
   */
  run(children: readonly OpenChild[], ctx: RunContext): Promise<readonly ChildOutcome[]>
  /** Ends a sub-agent that nobody waits for any more. */
  cancel?(child: ChildOpened, ctx: RunContext): Promise<void>
}
export const Dispatcher = slot.kernel<Dispatcher>('dispatcher')

export interface DispatchRequest {
  readonly call: CallId
  readonly agent: string
  readonly prompt: string
  readonly args: JsonObject
}
/** Returned by a `dispatch.start` tap that refuses a sub-agent. */
export interface DispatchVerdict {
  readonly deny: true
  readonly message: string
}
