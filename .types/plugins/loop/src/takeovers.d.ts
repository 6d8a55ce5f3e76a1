import type { Clock, Failure, Held, InstanceId, LaneRef, Logger, Result, SessionStore, TakenLane } from '@amodal/sdk';
import type { RuntimeSettings } from './settings.ts';
export interface TakeoverParts {
    readonly owner: InstanceId;
    readonly clock: Clock;
    readonly log: Logger;
    readonly settings: RuntimeSettings;
    ask<T>(work: (store: SessionStore, signal: AbortSignal) => Promise<Result<T, Failure>>): Promise<Result<T, Failure>>;
    /** Sessions that are worked on here. */
    held(): readonly Held[];
    /** Begins to serve it, or hands it back where nothing may begin any more. `asked`: monotonic ms from before it was taken. */
    claim(lane: TakenLane, asked: number): void;
    /** Monotonic ms at which the newest of the runs here began; undefined where there is none. */
    newest(): number | undefined;
    changed(ref: LaneRef): void;
    /** Its run waits for a person to decide what becomes of it. */
    troubled(ref: LaneRef): void;
}
/**
 * Takes over the sessions that a lost owner left, so that one run which brings its process down does not take others along
 * for ever, and is found.
 *
 * 1. Suspects, the sessions of lost owners, come back in groups that double in size: the next group begins when all of the
 *    last one have made progress, or have run for `suspectMs`. So a crowd is back soon, and a crash strikes few.
 * 2. Those that were lost again without progress are put on trial one by one: for at most `trialMs` nothing else begins here.
 *    What is lost on trial is set aside for a person; what makes progress is a run like any other.
 *
 * Crashes are counted in the store when a session is taken, which is before it runs.
 */
export declare class Takeovers {
    #private;
    /** Resolves when the look in progress is over. */
    looked: Promise<void>;
    constructor(parts: TakeoverParts);
    /** @param alone no other process can reach the storage: whoever owned a session before is lost */
    start(alone: boolean): Promise<void>;
    close(): void;
    /** Whether a message may claim its session now. During a trial it waits, for another instance or the end of the trial. */
    get claims(): boolean;
    /** Takes what can be taken now. */
    look(): Promise<void>;
    /** A session that is served here has got further than before. */
    progressed(ref: LaneRef): void;
    /** A session is not served here any more, for whatever reason. @param crashes that remain against it */
    ended(held: Held, crashes: number): void;
}
