import { type CallId, type CallState, type Failure, type InnerCall, type Placed, type PreparedCall, type ReplyCall } from '@amodal/sdk';
import type { ToolSet } from './tool-set.ts';
import type { LoopTurn, Prepared } from './loop-turn.ts';
export type Ready = Extract<Prepared, {
    kind: 'ready';
}>;
/** The tools of this turn, as the model was told of them. */
export declare function toolsOf(turn: LoopTurn): Promise<ToolSet | Failure>;
/** From what the model asked for to a frozen call that every guard has seen. */
export declare function prepare(reply: ReplyCall, tools: ToolSet, turn: LoopTurn): Promise<Prepared>;
/** An inner call as far as the guards: hidden tools are found where the outer one names them. */
export declare function prepareInner({ name, args }: InnerCall, outer: PreparedCall, id: CallId, tools: ToolSet, turn: LoopTurn): Promise<Prepared>;
/** Asks every guard about a call that cannot change any more, and about those that it is known to make. */
export declare function guard(call: PreparedCall, tools: ToolSet, turn: LoopTurn): Promise<Prepared>;
/**
 * A call that was approved, or begun, before this process had the run: the frozen bytes, and the guards again.
 * Anything that is not exactly what was approved is refused.
 *
 * @param past the entries of the run that made the call
 */
export declare function restore(state: CallState, tools: ToolSet, turn: LoopTurn, past?: readonly Placed[]): Promise<Prepared>;
/** Whether a call needs more than was approved. */
export declare const needsMore: (needs: Ready['needs'], approved: Ready['needs']) => boolean;
