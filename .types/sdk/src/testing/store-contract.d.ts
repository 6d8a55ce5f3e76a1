import type { StoreBackend } from '../index.ts';
export interface StoreKit {
    /** A backend of that tenant; the same tenant again sees the same documents. */
    of(tenant: string): StoreBackend;
    /** One round of removing what has expired, of all tenants; how many went. Left out where nothing is removed by itself. */
    purge?(): Promise<number>;
    close(): Promise<void>;
}
/** What every store of documents must do. Run it on yours with the `make` that builds one. */
export declare function storeContract(name: string, { make }: {
    readonly make: () => Promise<StoreKit>;
}): void;
