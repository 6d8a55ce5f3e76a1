import { type AgentState, type Failure, type ModelCall, type ModelResult, type Result, type Step } from '@amodal/sdk';
import type { LoopTurn } from './loop-turn.ts';
export type Streamed = {
    readonly result: ModelResult;
    readonly failure?: Failure; /** Why the reply is not whole, for people. */
    readonly cut?: string;
};
/** Makes the model call and reads its stream: deltas go out as they come, the reply is one fact. */
export declare function streaming(state: Extract<AgentState, {
    kind: 'streaming';
}>, turn: LoopTurn): Promise<Step>;
/**
 * The call to make next, or the failure to end with; nothing where nobody has a say.
 *
 * @param asked the call before it was routed and changed
 */
export declare function retry(call: ModelCall, failed: Failure, turn: LoopTurn, asked?: ModelCall | undefined): Promise<Result<ModelCall, Failure> | undefined>;
/** Makes one call; what comes of it is told as it comes, unless it is beside the conversation. */
export declare function stream(call: ModelCall, turn: LoopTurn): Promise<Streamed>;
