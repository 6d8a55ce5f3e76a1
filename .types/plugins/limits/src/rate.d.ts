import type { Database } from '@amodal/sdk';
/** How often something may happen; `null`: as often as anybody likes. */
export interface RateOptions {
    readonly perMinute: number | null;
    readonly perHour?: number | null | undefined;
}
/** Counts what happens in a minute and in an hour, in memory or for all instances together. */
export declare class Rate {
    #private;
    /** @param name of what is counted @param database where other instances count too; while it is away each counts for itself */
    constructor(name: string, { perMinute, perHour }: RateOptions, database: Database | undefined);
    /** Counts one more. @returns ms after which there is room again, where there is none now */
    take(whose: string): Promise<number | undefined>;
    /** Forgets everything, and its timers. */
    close(): Promise<void>;
}
