import { type TenantId } from '@amodal/sdk';
import type { CheckpointSet } from './checkpoint-set.ts';
import { type Head } from './line.ts';
/** A line as the database or a file holds it. A file has no columns that could say something else. */
export interface WalkedLine {
    readonly n: number;
    readonly body: string;
    readonly hash: string;
    readonly columns?: {
        readonly key: string;
        readonly session: string | undefined;
    };
}
/** Goes along a chain, line by line, and holds it against the checkpoints. */
export declare class ChainWalk {
    #private;
    readonly tenant: TenantId;
    readonly problems: string[];
    readonly notes: string[];
    end: Head;
    lines: number;
    constructor(tenant: TenantId);
    say(problem: string): void;
    take({ n, body, hash, columns }: WalkedLine, { signed, signers }: CheckpointSet): void;
    /** After the last line: each text that is gone was taken away by an erasure, and by no other means. */
    finish(): void;
}
