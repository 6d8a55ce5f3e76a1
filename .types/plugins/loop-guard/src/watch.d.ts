import type { PreparedCall, RunContext } from '@amodal/sdk';
import type { LoopGuardSettings } from './settings.ts';
import { type Ending } from './tally.ts';
/** What is known of the runs that are driven here; it goes with them. */
export declare class Watch {
    #private;
    constructor(settings: LoopGuardSettings);
    /** Why a call is refused. Calls that tools make are theirs. */
    refusal(call: PreparedCall, ctx: RunContext): string | undefined;
    notice(call: PreparedCall, ctx: RunContext): string | undefined;
    /** So many steps are over. @returns how the run ends, where it does */
    stepped(step: number, ctx: RunContext): Ending | undefined;
}
