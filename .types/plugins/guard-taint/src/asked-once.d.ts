import type { PreparedCall } from '@amodal/sdk';
import type { Origin } from './origin.ts';
/** A call and those that it makes are asked about at once, and what is said last is what is shown: so that is all of it. */
export declare class AskedOnce {
    #private;
    /** The origins of a call, after those of the calls that make it and of its siblings before it. */
    with(call: PreparedCall, origins: readonly Origin[]): readonly Origin[];
}
