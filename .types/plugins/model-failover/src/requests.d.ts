import type { ModelCall, ModelErrorClass, RunContext } from '@amodal/sdk';
import { type Candidate } from './candidates.ts';
/** What became of one candidate in one request. */
export interface Tried {
    readonly candidate: Candidate;
    readonly calls: number;
    readonly class: ModelErrorClass;
    readonly message: string;
    /** Monotonic ms, for this request alone. */
    readonly notBefore: number;
}
/** One request to a model, over all its attempts. */
export interface Request {
    readonly candidates: readonly Candidate[];
    readonly tried: Map<string, Tried>;
    /** The way that is being tried, and since when (monotonic ms). */
    now: {
        readonly candidate: Candidate;
        readonly began: number;
    } | undefined;
    /** ms it has waited for cooldowns. */
    waited: number;
}
/** The requests of the runs that are under way: nothing of them outlives its request, so that no choice sticks. */
export declare class Requests {
    #private;
    /** The request that a call belongs to, from its first attempt on. */
    begin(call: ModelCall, ctx: RunContext): Request;
    find(call: ModelCall, ctx: RunContext): Request | undefined;
    over(call: ModelCall, ctx: RunContext): void;
}
