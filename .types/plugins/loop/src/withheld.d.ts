import { type LaneRef, type Placed, type Sealer, type Withheld } from '@amodal/sdk';
/** What was taken out of the results of a session, from the sealed parts of its outcomes. One that cannot be opened is left out. */
export declare function withheldIn(entries: readonly Placed[], ref: LaneRef, sealer: Sealer | undefined): readonly Withheld[];
