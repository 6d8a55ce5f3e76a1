import { type Failure, type Result } from '@amodal/sdk';
import { type Signer } from './signer.ts';
/** A file of checkpoints kept in a second folder as well: the same bytes, added as they are added to the first. */
export declare class CheckpointCopy {
    #private;
    constructor(from: string, folder: string, signer: Signer);
    /** Adds what the copy lacks. An `Err` where it cannot be written, or holds something else. */
    ship(now: number): Promise<Result<void, Failure>>;
}
