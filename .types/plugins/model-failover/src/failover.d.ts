import { type Clock, type Failure, type ModelCall, type RetryVerdict, type RouteVerdict, type RunContext } from '@amodal/sdk';
import type { Cooldowns } from './cooldowns.ts';
export interface FailoverOptions {
    /** Further calls of one way for the same request, where the agent names no number. */
    readonly retries: number;
    /** ms that one request waits for cooldowns in all. */
    readonly waitMs: number;
    /** ms before a second call of one model for the same request; doubled with each further one, up to `maxMs`. */
    readonly baseMs: number;
    readonly maxMs: number;
    readonly jitter: number;
    readonly random: () => number;
}
/** Chooses who takes a call, anew for each request, and what comes after a failure. */
export declare class Failover {
    #private;
    constructor(options: FailoverOptions, clock: Clock, cooldowns: Cooldowns);
    /** The first way of the chain that is left and not cooling down, those first that were tried least; else how long to wait for one. */
    route(call: ModelCall, ctx: RunContext): RouteVerdict;
    /** @returns nothing where the failure says all there is to say */
    failed(failed: Failure, call: ModelCall, ctx: RunContext): RetryVerdict | undefined;
    done(call: ModelCall, ctx: RunContext): void;
}
