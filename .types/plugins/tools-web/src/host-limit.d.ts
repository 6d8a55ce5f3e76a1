import type { Clock } from '@amodal/sdk';
/** How often one host may be asked: `most` times in `ms`, whoever asks. */
export declare class HostLimit {
    #private;
    constructor(clock: Clock, most: number, ms: number);
    /** Counts a request. @returns ms until it may be made; 0: now */
    take(host: string): number;
}
