import { type Accept, type Accepted, type Commit, type CommitVerdict, type Database, type Failure, type Held, type InboxItem, type InstanceId, type LaneRef, type LaneRow, type PrincipalId, type Result, type SessionId, type SessionRow, type SessionStore, type SetAside, type StoredEntry, type TakenOver, type Takeover, type TenantId } from '@amodal/sdk';
export interface SessionsOptions {
    /** Whether other instances are told of changes. */
    readonly tell: boolean;
    /** Batches of commits, and of accepts, on their way at once. */
    readonly flights: number;
    /** ms for one batch. */
    readonly timeoutMs: number;
    /** ms a session that waits for a person is kept, where the time to live is shorter. */
    readonly parkedTtlMs: number;
    /** ms for which the key of an answered item still counts as a repetition. */
    readonly keyTtlMs: number;
}
type Outcome<T> = Promise<Result<T, Failure>>;
/** Lanes, journals and inboxes in the tables of {@link file://./migrations.ts}. Every statement is one constant text. */
export declare class DatabaseSessions implements SessionStore {
    #private;
    readonly exclusive: boolean;
    constructor(database: Database, options: SessionsOptions);
    accept(item: Accept, signal: AbortSignal): Outcome<Accepted>;
    commit(commit: Commit, signal: AbortSignal): Outcome<CommitVerdict>;
    lane({ tenant, session }: LaneRef, signal: AbortSignal): Outcome<LaneRow | undefined>;
    entries({ tenant, session }: LaneRef, { after, upto, limit }: Parameters<SessionStore['entries']>[1], signal: AbortSignal): Outcome<readonly StoredEntry[]>;
    inbox({ tenant, session }: LaneRef, signal: AbortSignal): Outcome<readonly InboxItem[]>;
    renew(owner: InstanceId, held: readonly Held[], leaseMs: number, signal: AbortSignal): ReturnType<SessionStore['renew']>;
    takeover(owner: InstanceId, { marginMs, leaseMs, limit, suspects, trial, held }: Takeover, signal: AbortSignal): Outcome<TakenOver>;
    acquit({ tenant, session, fence }: Held, crashes: number, signal: AbortSignal): Outcome<void>;
    setAside({ tenant, session, fence }: Held, why: SetAside, signal: AbortSignal): Outcome<boolean>;
    troubled(tenant: TenantId, principal: PrincipalId | undefined, limit: number, signal: AbortSignal): Outcome<readonly SessionRow[]>;
    list(tenant: TenantId, { limit, cursor, principal, subagents, waiting, tags }: Parameters<SessionStore['list']>[1], signal: AbortSignal): ReturnType<SessionStore['list']>;
    waiting(tenant: TenantId, principal: PrincipalId | undefined, signal: AbortSignal): ReturnType<SessionStore['waiting']>;
    create({ tenant, session }: LaneRef, { principal, title, meta, tags, request }: Parameters<SessionStore['create']>[1], signal: AbortSignal): ReturnType<SessionStore['create']>;
    totals(tenant: TenantId, principal: PrincipalId | undefined, signal: AbortSignal): ReturnType<SessionStore['totals']>;
    row({ tenant, session }: LaneRef, signal: AbortSignal): Outcome<SessionRow | undefined>;
    update({ tenant, session }: LaneRef, { title, tags, meta }: Parameters<SessionStore['update']>[1], signal: AbortSignal): Outcome<boolean>;
    remove({ tenant, session }: LaneRef, signal: AbortSignal): Outcome<boolean>;
    fork({ tenant, session }: LaneRef, child: SessionId, at: number, { principal, title, meta }: Parameters<SessionStore['fork']>[3], signal: AbortSignal): Outcome<boolean>;
    expire(ttlMs: number, limit: number, signal: AbortSignal): ReturnType<SessionStore['expire']>;
    watch(heard: (ref: LaneRef) => void): () => void;
    /** Ends every watch. */
    close(): void;
}
export {};
