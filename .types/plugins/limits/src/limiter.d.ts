import { type Agent, type Caller, type Failure, type Identity, type RequestLimiter, type Result } from '@amodal/sdk';
import type { Rate } from './rate.ts';
/** What is counted. */
export type Rates = Readonly<Record<'requests' | 'messages' | 'refusals', Rate>>;
export interface LimiterOptions {
    readonly rates: () => Promise<Rates>;
    /** Runs of one principal at the same time; `null`: any number. */
    readonly concurrentRuns: number | null;
    readonly agent: () => Agent | undefined;
}
/** Holds each principal to so many requests, messages and runs. Whoever is on this machine without a credential is not counted. */
export declare class Limiter implements RequestLimiter {
    #private;
    constructor(options: LimiterOptions);
    request({ principal }: Identity): Promise<Result<void, Failure>>;
    message(caller: Caller): ReturnType<RequestLimiter['message']>;
    refused(from: string): Promise<Result<void, Failure>>;
    /** A run has begun: it counts by itself from now on. */
    began(who: Pick<Caller, 'tenant' | 'principal'>): void;
}
