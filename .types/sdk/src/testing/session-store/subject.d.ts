import { type Accept, type Commit, type CommitVerdict, type Failure, type InstanceId, type LaneRef, type LaneRow, type Result, type SessionStore } from '@amodal/kernel';
/** A store as two instances have it: two stores on the same data, or twice the same one where it lives in one process. */
export interface SessionStoreUnderTest {
    readonly store: SessionStore;
    readonly peer: SessionStore;
    readonly close: () => Promise<void>;
}
export declare const HERE: InstanceId;
export declare const THERE: InstanceId;
export declare const TENANT: import("@amodal/kernel").TenantId;
/** Longer than any test takes. */
export declare const LEASE = 60000;
export declare const signal: AbortSignal;
export declare const newSession: () => LaneRef;
export declare const newKey: () => string;
/** The value, or a throw with the message of the failure. */
export declare function value<T>(result: Result<T, Failure>): T;
/** A message that makes its session where there is none. */
export declare function message(ref: LaneRef, more?: Partial<Accept>): Accept;
/** An answer or a cancel: it never makes a session. */
export declare function control(ref: LaneRef, more?: Partial<Accept>): Accept;
/** A commit on top of the lane that writes these bodies and keeps the lane. */
export declare function commit(lane: LaneRow, bodies: readonly string[], more?: Partial<Commit>): Commit;
export interface Claimed {
    readonly lane: LaneRow;
    readonly key: string;
}
/** A new session that `owner` has claimed with a first message. */
export declare function claimed(store: SessionStore, ref?: LaneRef, owner?: InstanceId, leaseMs?: number): Promise<Claimed>;
/** A session that nobody owns, with these entries. */
export declare function finished(store: SessionStore, bodies: readonly string[], ref?: LaneRef, more?: Partial<Commit>): Promise<LaneRow>;
/** A session whose run waits for a person. */
export declare const parked: (store: SessionStore, ref?: LaneRef) => Promise<LaneRow>;
export declare function laneOf(store: SessionStore, ref: LaneRef): Promise<LaneRow>;
export declare function bodiesOf(store: SessionStore, ref: LaneRef, after?: number): Promise<readonly string[]>;
/** The verdict in full, where it was written. */
export declare function written(said: Result<CommitVerdict, Failure>): Extract<CommitVerdict, {
    verdict: 'ok';
}>;
