import { type Failure, type Result } from '@amodal/sdk';
import { type Checkpoint } from './checkpoint.ts';
import type { Head } from './line.ts';
import type { Signer } from './signer.ts';
/** The checkpoints that this folder adds to: a line for each, and each follows the one before. Processes may share it. */
export declare class CheckpointFile {
    #private;
    readonly file: string;
    constructor(signer: Signer);
    /** The newest checkpoint that this process knows of. */
    get seq(): number;
    /** Adds a checkpoint. `RATE_LIMITED`: another process is adding one right now. */
    add(heads: ReadonlyMap<string, Head>, now: number): Result<void, Failure>;
    /** Reads the end of the file where somebody else has changed it. */
    refresh(): void;
    /** Newest first. */
    newest(): Generator<Checkpoint>;
}
