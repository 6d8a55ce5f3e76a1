import { type LaneRef } from '@amodal/sdk';
import type { LoopTurn } from './loop-turn.ts';
import type { Surround, TurnQueue } from './turn-queue.ts';
/**
 * Gives a sub-agent's parent the answers that it has gone on with. Whoever answered was on the way to do so, and may have
 * died between the two; or the question was settled by itself, or in the sub-agent's own session. Where the parent does not
 * wait for it any more, since it was cancelled and that did not reach the sub-agent, nobody would ever be asked: it ends.
 */
export declare function passUp(ref: LaneRef, { entries, state }: Pick<LoopTurn, 'entries' | 'state'>, { settings, clock, owner, ...around }: Surround, queue: Pick<TurnQueue, 'claim' | 'control'>): Promise<void>;
