import { PluginError } from '../errors.ts';
import { type JournalEntry } from '../journal/entry.ts';
import { type Result } from '../result.ts';
import { type AgentState, type LiveStateKind } from './state.ts';
import type { Step, Turn } from './turn.ts';
/** One handler per state: a missing one does not compile. */
export type Handlers<T extends Turn = Turn> = {
    readonly [K in LiveStateKind]: (state: Extract<AgentState, {
        kind: K;
    }>, turn: T) => Promise<Step>;
};
/** The outcome a call gets when nothing else became of it, so that the next turn is well-formed. */
export declare const NO_OUTCOME = "This call has no result: the turn ended before it ran.";
/** How driving a turn ended, for the lane. */
export type Driven = 
/** `released`: nobody owns the lane now. */
{
    readonly kind: 'ended' | 'parked';
    readonly released: boolean;
}
/** Somebody else has the lane, or nobody knows: no further effects here. */
 | {
    readonly kind: 'left';
}
/** To go on from the last commit, in the generation that is current now. */
 | {
    readonly kind: 'handover';
};
/**
 * Drives a turn from state to state until it ends, parks or is lost. What states make true is staged,
 * committed at the four kinds of commit points, and told only then.
 */
export declare function drive<T extends Turn>(turn: T, handlers: Handlers<T>): Promise<Driven>;
/** Passes entries through `journal.write`, stages them and applies them to the history. */
export declare function stage(facts: readonly JournalEntry[], turn: Turn): Result<void, PluginError>;
