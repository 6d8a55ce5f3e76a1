import { type Failure, type Result } from '@amodal/sdk';
import type { HandlerProcess, Helper, Job, LoadFailure, Outcome } from './handler-process.ts';
export interface PoolLimits {
    /** Processes at a time. */
    readonly processes: number;
    /** ms that one waits for its next call. */
    readonly idleMs: number;
    /** Calls until one is exchanged. */
    readonly callsEach: number;
}
/** Which processes may stand for each other: equal code, variables and tenant. */
export interface Kind {
    readonly key: string;
    readonly digest: string;
    start(signal: AbortSignal): Promise<Result<HandlerProcess, LoadFailure>>;
}
/** Handler processes that are kept warm, as many as allowed. Who comes when all are busy waits in line. */
export declare class HandlerPool {
    #private;
    constructor(limits: PoolLimits);
    get processes(): number;
    run(kind: Kind, job: Job, helper: Helper, signal: AbortSignal): Promise<Result<Outcome, Failure>>;
    /** Lets go of those whose code is not the agent's any more. */
    keep(digests: ReadonlySet<string>): void;
    close(): Promise<void>;
}
