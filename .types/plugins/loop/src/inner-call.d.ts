import { type RunId } from '@amodal/sdk';
import type { LoopTurn } from './loop-turn.ts';
import { type CallInner } from './perform.ts';
import { type Ready } from './prepare.ts';
import type { ToolSet } from './tool-set.ts';
/**
 * What a running call calls others with: the same guards, the same cleaning, under the approval that it has itself.
 * Their keys come from its own, so that a call that is made again makes the same ones.
 *
 * @param run that made the outer call first
 */
export declare function innerCalls(outer: Ready, tools: ToolSet, turn: LoopTurn, run?: RunId): CallInner;
