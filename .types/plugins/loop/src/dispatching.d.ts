import { type AgentState, type Step } from '@amodal/sdk';
import type { LoopTurn } from './loop-turn.ts';
type Dispatching = Extract<AgentState, {
    kind: 'dispatching';
}>;
/**
 * Runs the leading sub-agent calls of a step together. First they are written down, so that whoever goes on after a crash
 * finds the same ones; then they run. One that fails is an observation; one that asks parks this run with its question.
 */
export declare function dispatching(state: Dispatching, turn: LoopTurn): Promise<Step>;
export {};
