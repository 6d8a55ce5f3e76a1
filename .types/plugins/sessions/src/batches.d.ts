import { type Failure, type Result } from '@amodal/sdk';
export interface BatchOptions<Item, Answer extends object> {
    /** Two items of one key never travel together, and keep their order. */
    readonly keyOf: (item: Item) => string;
    /** Characters it adds to a statement. */
    readonly sizeOf: (item: Item) => number;
    /** Writes them all or none; one answer per item, in their order. */
    readonly write: (items: readonly Item[], signal: AbortSignal) => Promise<Result<readonly Answer[], Failure>>;
    /** Nothing was written because of one of the items: each is tried by itself. */
    readonly oneIsBad: (failure: Failure) => boolean;
    /** Nothing was written because others were at it: the same again may well succeed. */
    readonly inTheWay: (failure: Failure) => boolean;
    /** What a caller is told who stopped waiting. */
    readonly left: (signal: AbortSignal) => Failure;
    /** Told of an answer that nobody waits for any more. */
    readonly unheard?: (item: Item, answer: Answer) => void;
    /** Batches on their way at once. */
    readonly flights: number;
    /** ms for one batch. */
    readonly timeoutMs: number;
}
/**
 * Items that come while a batch is on its way leave together with the next one. There is no timer: an item that
 * finds nothing on its way leaves in the same turn of the event loop.
 */
export declare class Batches<Item, Answer extends object> {
    #private;
    constructor(options: BatchOptions<Item, Answer>);
    /** Resolves with the item's own answer. When `signal` aborts the caller is let go; an item on its way is written all the same. */
    submit(item: Item, signal: AbortSignal): Promise<Result<Answer, Failure>>;
}
