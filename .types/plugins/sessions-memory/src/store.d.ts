import { type Accept, type Accepted, type Commit, type CommitVerdict, type Created, type Creation, type Failure, type Held, type InboxItem, type InstanceId, type LaneRef, type LaneRow, type PrincipalId, type Result, type SessionId, type SessionRow, type SessionStore, type SetAside, type StoredEntry, type TakenOver, type Takeover, type TenantId } from '@amodal/sdk';
import { type Create } from './lane.ts';
export interface MemoryOptions {
    /** Sessions kept at most. */
    readonly maxSessions: number;
    /** ms a session that waits for a person is kept, where the time to live is shorter. */
    readonly parkedTtlMs: number;
    /** ms for which the key of an answered item still counts as a repetition. */
    readonly keyTtlMs: number;
}
type Outcome<T> = Promise<Result<T, Failure>>;
type Range = Parameters<SessionStore['entries']>[1];
type Page = Parameters<SessionStore['list']>[1];
type Change = Parameters<SessionStore['update']>[1];
/** Lanes, journals and inboxes in this process. Every method is one uninterrupted step. */
export declare class MemorySessions implements SessionStore {
    #private;
    readonly exclusive = true;
    constructor(options: MemoryOptions);
    accept(item: Accept, signal: AbortSignal): Outcome<Accepted>;
    commit(commit: Commit, signal: AbortSignal): Outcome<CommitVerdict>;
    lane(ref: LaneRef, signal: AbortSignal): Outcome<LaneRow | undefined>;
    entries(ref: LaneRef, { after, upto, limit }: Range, signal: AbortSignal): Outcome<readonly StoredEntry[]>;
    inbox(ref: LaneRef, signal: AbortSignal): Outcome<readonly InboxItem[]>;
    renew(owner: InstanceId, held: readonly Held[], leaseMs: number, signal: AbortSignal): ReturnType<SessionStore['renew']>;
    takeover(owner: InstanceId, { marginMs, leaseMs, limit, suspects, trial, held }: Takeover, signal: AbortSignal): Outcome<TakenOver>;
    acquit(held: Held, crashes: number, signal: AbortSignal): Outcome<void>;
    setAside(held: Held, why: SetAside, signal: AbortSignal): Outcome<boolean>;
    troubled(tenant: TenantId, principal: PrincipalId | undefined, limit: number, signal: AbortSignal): Outcome<readonly SessionRow[]>;
    list(tenant: TenantId, { limit, cursor, principal, subagents, waiting, tags }: Page, signal: AbortSignal): ReturnType<SessionStore['list']>;
    waiting(tenant: TenantId, principal: PrincipalId | undefined, signal: AbortSignal): Outcome<number>;
    create(ref: LaneRef, create: Creation, signal: AbortSignal): Outcome<Created>;
    totals(tenant: TenantId, principal: PrincipalId | undefined, signal: AbortSignal): ReturnType<SessionStore['totals']>;
    row(ref: LaneRef, signal: AbortSignal): Outcome<SessionRow | undefined>;
    update(ref: LaneRef, change: Change, signal: AbortSignal): Outcome<boolean>;
    remove(ref: LaneRef, signal: AbortSignal): Outcome<boolean>;
    fork(parent: LaneRef, child: SessionId, at: number, create: Create, signal: AbortSignal): Outcome<boolean>;
    expire(ttlMs: number, limit: number, signal: AbortSignal): ReturnType<SessionStore['expire']>;
    watch(heard: (ref: LaneRef) => void): () => void;
}
export {};
