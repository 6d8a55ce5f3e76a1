import { type AgentState, type Step } from '@amodal/sdk';
import type { LoopTurn } from './loop-turn.ts';
/** Prepares a model call: limits, tools, prompt, model. */
export declare function thinking(state: Extract<AgentState, {
    kind: 'thinking';
}>, turn: LoopTurn): Promise<Step>;
