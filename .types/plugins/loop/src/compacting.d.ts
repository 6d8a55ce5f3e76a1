import { type AgentState, type Step } from '@amodal/sdk';
import type { LoopTurn } from './loop-turn.ts';
/** Replaces old history by a summary. Nothing changes until it commits, so it can be made again. */
export declare function compacting(state: Extract<AgentState, {
    kind: 'compacting';
}>, turn: LoopTurn): Promise<Step>;
