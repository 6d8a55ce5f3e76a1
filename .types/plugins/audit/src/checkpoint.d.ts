import type { Head } from './line.ts';
import { type Signer } from './signer.ts';
/** The name of the file of checkpoints in its own folder. In a folder for copies it is named after its writer. */
export declare const CHECKPOINTS = "checkpoints.jsonl";
/** What the first checkpoint of a file follows. */
export declare const FIRST: string;
/** Places of chains, signed and kept elsewhere: who cuts or rewrites a chain cannot rewrite this too. */
export interface Checkpoint {
    readonly heads: readonly (readonly [tenant: string, n: number, hash: string])[];
    readonly at: string;
    readonly key: string;
    /** Missing in those of earlier releases. */
    readonly link?: {
        readonly seq: number;
        readonly previous: string;
        readonly writer: string;
        readonly process: string;
    };
}
export interface Link {
    readonly seq: number;
    readonly previous: string;
}
export declare function checkpointLine(signer: Signer, { seq, previous }: Link, heads: ReadonlyMap<string, Head>, now: number): string;
/** A line as it can be read; whether it is signed is asked apart, since that takes longer. */
export declare function readCheckpoint(line: string): {
    readonly checkpoint: Checkpoint;
    readonly isSigned: () => boolean;
} | undefined;
