import { type AgentEvent, type Clock, type FrameId, type LaneRef, type Placed, type SessionStore } from '@amodal/sdk';
import type { FrameQueue } from './frame-queue.ts';
import type { LiveLog } from './live-log.ts';
/** What a reader follows: one message's turn, or the session from a place on. */
export interface Wanted {
    readonly ref: LaneRef;
    readonly key?: string;
    readonly from: FrameId;
}
export interface ReaderParts {
    readonly clock: Clock;
    readonly settings: {
        readonly pollMs: number;
        readonly storeMs: number;
    };
    /** Nothing more will come from here. */
    readonly closed: boolean;
    store(): SessionStore;
    live(ref: LaneRef): LiveLog | undefined;
    /** Resolves when the session has something new, or after `ms`. */
    news(ref: LaneRef, ms: number, signal: AbortSignal): Promise<void>;
    /** What a committed entry tells, after its last rewrite. */
    shown(ref: LaneRef, entry: Placed): readonly AgentEvent[];
}
/**
 * Feeds a queue from wherever the run is: the live log here, or the committed entries that another
 * instance writes. Gapless, or after a `reset`. Ends with the turn it follows.
 */
export declare class Reader {
    #private;
    constructor(parts: ReaderParts, wanted: Wanted, queue: FrameQueue);
    /** Never rejects: a store that fails ends the stream, and the client resumes. */
    read(): Promise<void>;
    /** The same for somebody who was here before: the place may be in the middle of the turn that is wanted. */
    resume(): Promise<void>;
    /** Goes along with a live log; where that ends without `done`, it goes on from the journal. `false`: the place is not kept any more. */
    join(live: LiveLog, position: number): boolean;
}
/** Wakes readers of a session; one per process. */
export declare class News {
    #private;
    tell(key: string): void;
    tellAll(): void;
    wait(key: string, ms: number, signal: AbortSignal): Promise<void>;
}
