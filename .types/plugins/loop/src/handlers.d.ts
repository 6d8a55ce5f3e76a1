import type { Handlers } from '@amodal/sdk';
import type { LoopTurn } from './loop-turn.ts';
/** What happens in each state. */
export declare const handlers: Handlers<LoopTurn>;
