import type { AgentState, Message } from '@amodal/sdk';
import type { LoopGuardSettings } from './settings.ts';
export type Ending = Extract<AgentState, {
    kind: 'done';
}>;
export type TallyLimits = Pick<LoopGuardSettings, 'warnAt' | 'blockAt' | 'stopAt' | 'exempt'>;
/**
 * What the model has called in one run, read from the conversation itself: so it is known again after a restart, and
 * calls count that never ran, because no such tool is there or somebody refused them.
 */
export declare class Tally {
    #private;
    /** Why a run is over. */
    ending: Ending | undefined;
    constructor(limits: TallyLimits);
    /** Counts the calls that are new. */
    follow(messages: readonly Message[]): void;
    /** Why a call is refused. */
    refusal(call: string): string | undefined;
    /** What the model is told with the result of a call. */
    notice(call: string): string | undefined;
}
