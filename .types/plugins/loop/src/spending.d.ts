import { type ModelCall, type Spent, type Usage } from '@amodal/sdk';
import type { LoopTurn } from './loop-turn.ts';
/** What a call came to, by the prices of now. */
export declare function spentOn({ config }: ModelCall, usage: Usage, turn: LoopTurn): Spent;
/**
 * Counts a call that no reply comes of, where the provider has said what it took. It is written with what comes next, and
 * may come at any time: reviews of a run are made while it goes on.
 */
export declare function spend(call: ModelCall, usage: Usage, text: string, turn: LoopTurn): void;
