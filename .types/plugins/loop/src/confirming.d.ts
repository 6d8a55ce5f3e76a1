import type { AgentState, InboxItem, Step } from '@amodal/sdk';
import type { LoopTurn } from './loop-turn.ts';
type Confirming = Extract<AgentState, {
    kind: 'confirming';
}>;
/** Waits for people: takes the answers that have arrived; without all of them the run parks again. */
export declare function confirming(state: Confirming, turn: LoopTurn): Promise<Step>;
export declare const isCancel: (item: InboxItem) => boolean;
export {};
