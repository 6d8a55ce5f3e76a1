import type { Clock } from '@amodal/sdk';
/**
 * The store's clock, as somebody knows it who has claimed a lane. Times that others are held to are told by it alone:
 * clocks of instances differ. It is never ahead of the store.
 */
export declare class StoreTime {
    #private;
    /** ms since the epoch when the lane was claimed: all that was written into its inbox before is there to be read. */
    readonly claimed: number;
    constructor(claimed: number, clock: Clock);
    now(): number;
}
