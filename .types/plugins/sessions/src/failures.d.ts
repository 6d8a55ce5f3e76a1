import { type Failure } from '@amodal/sdk';
/** One item may be to blame for its whole batch: its data, or the order in which locks were taken. */
export declare function oneIsBad(failed: Failure): boolean;
/** A deadlock, or another order of writes: this one was undone in favour of another. */
export declare const inTheWay: (failed: Failure) => boolean;
/**
 * `details.connection: true` on everything that says nothing about the write, or only that it did not come about this
 * time: the caller repeats it with the same key. What the database refused for its content stays refused.
 */
export declare function inDoubt(failed: Failure): Failure;
/** The caller stopped waiting; the write may come about all the same. */
export declare function leftWaiting({ reason }: AbortSignal): Failure;
