import { type Compaction, type Compactor, type Counted, type Failure, type ModelCall, type Result, type RunContext } from '@amodal/sdk';
import type { CompactionSettings } from './settings.ts';
/** Snapshots in place of old messages, masks in place of old outputs, and a cap for each result. */
export declare class SnapshotCompactor implements Compactor {
    #private;
    constructor(settings: CompactionSettings);
    fit(call: ModelCall, counted: Counted | undefined, ctx: RunContext): ModelCall | undefined;
    overflowed(failed: Failure): boolean;
    compact(cause: 'threshold' | 'overflow', tries: number, ctx: RunContext): Promise<Result<Compaction | undefined, Failure>>;
}
