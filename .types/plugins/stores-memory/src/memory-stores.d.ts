import { type StoreBackend, type TenantId } from '@amodal/sdk';
/** Documents of all tenants; each sees its own. */
export declare class MemoryStores {
    #private;
    of(tenant: TenantId): StoreBackend;
    clear(): void;
    /**
     * Removes documents that have been stale for `keepMs` milliseconds, with their earlier versions; `most` at once, so that nobody waits for long.
     *
     * @returns how many went, by tenant and store
     */
    purge(keepMs: number, most: number): readonly Purged[];
}
/** Documents of one store that a purge removed. */
export interface Purged {
    readonly tenant: TenantId;
    readonly store: string;
    readonly count: number;
}
