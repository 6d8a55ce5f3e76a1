import { type Json } from '@amodal/sdk';
/** Rows of which only one person's own may be seen. */
export interface Scoped {
    readonly field: string;
    readonly expected: string;
    readonly label: string;
    /** The answer holds rows of this kind: one that does not say whose it is, is left out. Else only those that say it is another's. */
    readonly strict: boolean;
}
export interface Filtered {
    readonly value: Json; /** Rows left out. */
    readonly removed: number; /** Nothing of it may be seen. */
    readonly nothing: boolean;
}
/**
 * Takes out of an answer what belongs to others: rows of lists at any depth that say so, and, where the answer is known to
 * hold such rows, those that do not say whose they are.
 *
 * @example filterRows({ data: [{ id: 1, owner_id: 'me' }, { id: 2, owner_id: 'you' }] }, [mine]) // { value: { data: [{ id: 1, … }] }, removed: 1, nothing: false }
 */
export declare function filterRows(value: Json, scopes: readonly Scoped[]): Filtered;
/** Whether a row that was read is somebody's own, for a write to it. */
export declare function isOwn(value: Json, scopes: readonly Scoped[]): boolean;
