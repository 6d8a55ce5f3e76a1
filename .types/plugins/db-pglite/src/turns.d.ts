import { type Failure, type Result } from '@amodal/sdk';
/** The right to use the one connection there is. */
export interface Turn {
    readonly end: () => void;
}
/**
 * Lets one caller at a time at PGlite, first come, first served. PGlite computes on the thread that serves
 * everything else, so after a slice of statements in a row the event loop gets its turn too.
 */
export declare class Turns {
    #private;
    get idle(): boolean;
    /** Waits for a turn. An `Err` means that the signal was first, and that nothing was done. */
    take(signal: AbortSignal): Promise<Result<Turn, Failure>>;
    /** Called between statements: gives way to the event loop when the slice is used up. */
    breathe(): Promise<void>;
}
