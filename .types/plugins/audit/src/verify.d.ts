import { type Failure, type Result, type TenantId } from '@amodal/sdk';
import type { CheckpointSet } from './checkpoint-set.ts';
import type { ChainStore } from './store.ts';
/** What a check of one chain came to. `problems` name the line at fault; the first one is where trust ends. */
export interface Verdict {
    readonly tenant: TenantId;
    readonly lines: number;
    readonly problems: readonly string[];
    readonly notes: readonly string[];
}
export interface Verifying {
    readonly store: ChainStore;
    /** Reads the checkpoints, again where a server may have added some. */
    readonly checkpoints: () => Promise<Result<CheckpointSet, Failure>>;
    /** ms since the epoch. */
    readonly now: () => number;
    readonly signal: AbortSignal;
}
/** Walks a chain from its first line, and holds it against its sealed head and the checkpoints. What a server is writing meanwhile is waited for. */
export declare function verifyChain({ store, checkpoints, now, signal }: Verifying, tenant: TenantId, set: CheckpointSet): Promise<Result<Verdict, Failure>>;
/** The same for a file of lines: the one of `file`, or an export. */
export declare function verifyFile(file: string, set: CheckpointSet): Promise<{
    readonly verdicts: readonly Verdict[];
    readonly problems: readonly string[];
}>;
