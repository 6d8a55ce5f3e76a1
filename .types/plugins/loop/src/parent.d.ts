import { type Failure, type LaneRef, type LaneState, type Result, type SessionStore } from '@amodal/sdk';
type Ask = <T>(work: (store: SessionStore, signal: AbortSignal) => Promise<Result<T, Failure>>) => Promise<Result<T, Failure>>;
/** The session that a sub-agent works for, and whether it still waits for it; nothing where there is none, or where that cannot be read. */
export declare function parentOf(child: LaneRef, ask: Ask): Promise<{
    readonly ref: LaneRef;
    readonly state: LaneState;
    readonly waits: boolean;
} | undefined>;
export {};
