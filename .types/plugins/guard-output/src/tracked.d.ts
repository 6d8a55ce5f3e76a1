import type { Withheld } from '@amodal/sdk';
/** A value to look for, in one of the orders it may be written in. */
export interface Needle {
    readonly value: Withheld;
    readonly key: string;
    readonly reversed: boolean;
    /** Places in `key` where the value itself has something between two characters. */
    readonly joints: ReadonlySet<number>;
    readonly kind: 'number' | 'words' | 'mixed';
    /** Found only where the text speaks of its entity. */
    readonly name: boolean;
    readonly single: boolean;
}
/** How a value may stand in a text: as it is, its parts in another order where it is a name, and reversed. */
export declare function needlesOf(value: Withheld): readonly Needle[];
