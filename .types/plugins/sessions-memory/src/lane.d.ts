import type { Creation, InboxItem, InstanceId, LaneRef, LaneRow, LastEnd, SessionId, SessionRow, StoredEntry } from '@amodal/sdk';
/** An inbox item; taken ones stay for a while, so that their key counts as a repetition. */
export interface Item extends InboxItem {
    taken: boolean;
    readonly at: number;
}
/** A session: its lane, its row, its own entries and its inbox. */
export interface Lane {
    readonly ref: LaneRef;
    head: number;
    fence: number;
    owner: InstanceId | undefined;
    /** Monotonic ms. */
    leaseUntil: number;
    lastKey: string | undefined;
    messages: number;
    controls: number;
    parked: boolean;
    /** Owners that were lost since it last made progress. */
    crashes: number;
    /** It runs alone, so that a crash says whose fault it is. */
    trial: boolean;
    /** JSON of a `SetAside`. */
    setAside: string | undefined;
    unknownEffects: number;
    /** ms since the epoch. */
    due: number;
    state: string;
    status: SessionRow['status'];
    title: string;
    tags: readonly string[];
    readonly principal: string;
    messageCount: number;
    inputTokens: number;
    outputTokens: number;
    cost: number | undefined;
    model: string | undefined;
    provider: string | undefined;
    lastEnd: LastEnd | undefined;
    readonly parent: SessionId | undefined;
    readonly forkedAt: number | undefined;
    meta: string;
    /** Digest of the request that made it. */
    readonly request: string | undefined;
    readonly createdAt: number;
    updatedAt: number;
    idleAt: number;
    /** A number of its own for every use: the order of the list. */
    used: number;
    /** Its own entries; the first one follows `forkedAt`. */
    entries: StoredEntry[];
    readonly inbox: Map<string, Item>;
}
export interface Create {
    readonly principal: string;
    readonly title: string;
    readonly meta: string;
}
export declare function newLane(ref: LaneRef, state: string, create: Create & Pick<Creation, 'tags' | 'request'>, from?: {
    readonly parent: SessionId;
    readonly at: number;
}): Lane;
export declare function laneRow({ ref, head, fence, owner, messages, controls, parked, state, status, crashes, setAside }: Lane): LaneRow;
export declare function sessionRow(lane: Lane): SessionRow;
/** Nobody is at it, and nothing waits that anybody may take. */
export declare const atRest: ({ owner, messages, controls, parked, setAside }: Lane) => boolean;
/** Takes items; the number of those that were there and not taken before. */
export declare function take({ inbox }: Lane, keys: readonly string[]): number;
