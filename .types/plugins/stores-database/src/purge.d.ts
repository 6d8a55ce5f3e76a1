import { type Database, type Failure, type Result, type TenantId } from '@amodal/sdk';
/** Documents of one round: few enough to be in nobody's way. */
export declare const PURGE_ROWS = 500;
/** Documents of one store that a purge removed. */
export interface Purged {
    readonly tenant: TenantId;
    readonly store: string;
    readonly count: number;
}
/**
 * Removes documents that have been stale for `keepMs` milliseconds, with their earlier versions: one round, in one
 * transaction. Several instances may do it at once.
 *
 * @returns how many went by tenant and store, and whether there may be more
 */
export declare function purge(database: Database, keepMs: number, signal: AbortSignal): Promise<Result<{
    readonly gone: readonly Purged[];
    readonly more: boolean;
}, Failure>>;
