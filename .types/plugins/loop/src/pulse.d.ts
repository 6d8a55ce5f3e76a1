import type { Clock } from '@amodal/sdk';
/** When the heart of this process beat last, and for how long it could work. */
export declare class Pulse {
    #private;
    readonly everyMs: number;
    constructor(clock: Clock, everyMs: number);
    start(): void;
    /** Monotonic ms without those for which this process stood still. */
    working(): number;
    /** ms for which nothing here could make progress since the last beat; 0 where it came in time. */
    stoodStill(): number;
}
