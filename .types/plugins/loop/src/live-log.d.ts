import type { AgentEvent, FrameId } from '@amodal/sdk';
import type { FrameQueue } from './frame-queue.ts';
/** How a live log ends: the turn is over, it waits for a person, somebody else goes on with it, or nobody knows. */
export type LiveEnd = 'done' | 'parked' | 'left' | 'doubt';
/**
 * What one turn tells, as it happens. The driver writes; readers are cursors, and none of them slows it.
 * A fact carries the seq of the entry it comes from once all events of that entry are out, so that
 * a reader's last id says exactly what it has.
 */
export declare class LiveLog {
    #private;
    readonly key: string;
    /** The run that writes it, once there is one. */
    run: string | undefined;
    /** Committed entries that these frames stand on. */
    head: number;
    constructor(key: string, head: number, fence: number);
    get ended(): LiveEnd | undefined;
    get readers(): number;
    /** Position behind the last commit: a reader that knows the journal joins here. */
    get mark(): number;
    get id(): FrameId;
    /** Something was sent that no commit stands behind. */
    get ahead(): boolean;
    /** Some reader asked for events that others are not sent: nobody makes them otherwise. */
    get wantsAll(): boolean;
    push(event: AgentEvent, at: number): void;
    /** Events of a committed entry: the last one carries its seq, where whoever has it has nothing that the journal tells behind it. */
    tell(seq: number, events: readonly AgentEvent[], at: number, whole: boolean): void;
    /** All entries up to here are committed and told. */
    advance(head: number): void;
    /** What was sent since the last commit is void: it is made again. */
    reset(at: number): void;
    /** Gives all frames from a position on, then those to come. `false`: they are not kept any more. */
    join(queue: FrameQueue, position: number): boolean;
    /** Position behind the frame a reader saw last. */
    after(id: FrameId): number | undefined;
    onEnd(heard: (end: LiveEnd) => void): void;
    end(end: LiveEnd): void;
}
