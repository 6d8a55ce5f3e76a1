import type { Clock, ModelCooldown, ModelError } from '@amodal/sdk';
import type { Candidate } from './candidates.ts';
export interface CooldownOptions {
    readonly baseMs: number;
    /** The longest time, whatever a provider asks for: then one call finds out. */
    readonly maxMs: number;
    /** The same where fewer sessions than `sessions` have met the failure: what one of them is told holds the others up no longer. */
    readonly unconfirmedMs: number;
    /** Different sessions that have to meet a failure that may be due to what was asked. */
    readonly sessions: number;
    /** From 0, none, to 1: how much of a time may be taken off or, where a provider names it, put on. */
    readonly jitter: number;
    readonly random: () => number;
}
/** One failed call. */
export interface FailedCall {
    readonly error: ModelError;
    readonly message: string;
    /** When the call was made, monotonic ms. */
    readonly began: number;
    /** Whose it was; one session says the same however often it asks. */
    readonly session: string;
    /** Of a first failure, where the agent names it. */
    readonly baseMs?: number | undefined;
}
/**
 * How long each candidate is left alone, for all sessions of this process. When its time is over, one call at a time finds
 * out whether it works again: whoever else comes meanwhile takes another one, or waits.
 */
export declare class Cooldowns {
    #private;
    constructor(clock: Clock, options: CooldownOptions);
    /** ms until this candidate may be tried; 0: now. */
    left({ key }: Candidate): number;
    /** Somebody tries it now: others keep away for as long as a first cooldown takes, unless it turns out well before. */
    trying({ key }: Candidate): void;
    /** It failed. Calls that were under way together fail together, and count as one failure. */
    failed(candidate: Candidate, { error, message, began, session, baseMs }: FailedCall): void;
    /** It works, unless it has failed since. @param began when the call was made, monotonic ms */
    worked(key: string, began: number): void;
    /** Those that are left alone now. */
    list(): readonly ModelCooldown[];
}
