import type { EventSink } from '@amodal/sdk';
import type { Topic } from './topic.ts';
import type { View } from './view.ts';
export interface SubscriberOptions {
    readonly topic: Topic;
    readonly view: View;
    /** The place of the last event it has, where it says so. */
    readonly from: number | undefined;
    /** ms at which its stream ends. */
    readonly until: number;
    /** It has missed events: those behind `place` are not kept any more. */
    readonly overrun: (place: number) => void;
    /** It is gone. `behind`: events it was not given, where it did not read and was cut for that. */
    readonly left: (behind: number | undefined) => void;
}
/** One reader: a place among the events of its tenant. It holds none of them, so one that does not read holds what its connection does. */
export declare class Subscriber {
    #private;
    readonly until: number;
    constructor(options: SubscriberOptions, sink: EventSink);
    /** Gives it what there is, as far as it reads. */
    advance(): void;
    /** A line that means nothing, and keeps what stands between from closing a quiet stream. */
    beat(): void;
    /** Its time is over, or the server's. It was not its fault. */
    end(): void;
}
