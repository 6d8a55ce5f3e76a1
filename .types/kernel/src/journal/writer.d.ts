import { type Failure } from '../errors.ts';
import { type LaneState } from '../loop/state.ts';
import type { CommitEnd, InboxItem, LaneRef, SessionStore } from '../ports/session-store.ts';
import { type Clock } from '../time.ts';
import { type JournalEntry, type Placed } from './entry.ts';
import type { LaneLease } from './lease.ts';
/** What came of a commit. Only after `ok` may anybody be told; only with `mine` may anything further be done. */
export type Committed = {
    readonly kind: 'ok';
    readonly mine: boolean;
    readonly released: boolean;
    readonly messages: number;
    readonly controls: number;
    readonly entries: readonly Placed[];
}
/** Another owner has the lane. */
 | {
    readonly kind: 'lost';
}
/** The connection broke until the lease ended: done or not done, nobody here knows. */
 | {
    readonly kind: 'doubt';
    readonly failure: Failure;
}
/** The data itself was refused; nothing was written. */
 | {
    readonly kind: 'refused';
    readonly failure: Failure;
};
export interface WriterOptions {
    readonly leaseMs: number;
    readonly storeMs: number;
    /** Called when a commit has brought the run further. */
    readonly progressed?: () => void;
}
/** Code of the note that settles an effect of unknown outcome. */
export declare const OUTCOME_SETTLED = "outcome_settled";
/** Stages entries of one owned lane and writes them at its commit points, fenced and repeatable. */
export declare class JournalWriter {
    #private;
    /** The last committed seq. */
    head: number;
    readonly fence: number;
    constructor(store: SessionStore, lane: LaneRef & {
        readonly head: number;
        readonly fence: number;
    }, lease: LaneLease, options: WriterOptions, clock: Clock);
    get staged(): readonly Placed[];
    /** Puts an entry behind those that wait; its seq is settled, since nobody else writes this lane. */
    stage(entry: JournalEntry, sealed?: string): Placed;
    /** Inbox items that the staged entries answer. */
    took(item: InboxItem): void;
    /** The sealed part of that entry is not needed any more. */
    erase(seq: number): void;
    /** Forgets what was staged and not committed. What was taken from the inbox is still answered by the next commit. */
    discard(): void;
    commit(state: LaneState, end: CommitEnd): Promise<Committed>;
}
