import { type AgentState, type JsonObject, type Step } from '@amodal/sdk';
import type { LoopTurn } from './loop-turn.ts';
type Executing = Extract<AgentState, {
    kind: 'executing';
}>;
export declare const APPROVAL_SCHEMA: JsonObject;
/**
 * Takes the calls of a step forward by one batch: what is refused at once, read-only calls side by side,
 * one effect at a time with its intent committed before it, questions together, sub-agents together.
 */
export declare function executing(state: Executing, turn: LoopTurn): Promise<Step>;
export {};
