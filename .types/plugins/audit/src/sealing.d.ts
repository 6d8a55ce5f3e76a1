import { type AuditDraft, type Clock, type Failure, type Logger, type Result, type TenantId } from '@amodal/sdk';
import { CheckpointCopy } from './checkpoint-copy.ts';
import { CheckpointFile } from './checkpoint-file.ts';
import type { Head } from './line.ts';
import { type SealedHead } from './seal.ts';
import { Signer } from './signer.ts';
export interface SealingOptions {
    /** Where checkpoints are kept. */
    readonly folder: string;
    /** Where they are kept a second time. */
    readonly copies: string | undefined;
    /** Private key in PEM; one is kept in the folder where it is left out. */
    readonly key: () => string | undefined;
    /** Nobody else reaches the database. */
    readonly exclusive: boolean;
    readonly clock: Clock;
    readonly log: Logger;
}
interface Opened {
    readonly signer: Signer;
    readonly file: CheckpointFile;
    readonly copy: CheckpointCopy | undefined;
}
/** Signs the heads of chains as they move, and checkpoints of them soon after. Nothing is made before there is something to sign. */
export declare class Sealing {
    #private;
    constructor(options: SealingOptions);
    /** Why checkpoints, or copies of them, are not kept now. */
    get problem(): Failure | undefined;
    open(): Result<Opened, Failure>;
    /** The seal of a head, kept with its lines. */
    seal(tenant: TenantId, head: Head): Result<string, Failure>;
    /**
     * Looks at a head that somebody else has left.
     *
     * @param known where this process saw the chain end last
     * @returns what is wrong with it, as lines that go into the chain with whatever comes next
     */
    examine(tenant: TenantId, head: SealedHead, known: Head | undefined): readonly AuditDraft[];
    /** The head is in no checkpoint yet. */
    count(tenant: TenantId, { n, hash }: Head): void;
    close(): Promise<void>;
}
export {};
