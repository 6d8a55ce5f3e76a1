import { type Failure, type Result, type StoreBackend, type StoreDefinition, type TenantId } from '@amodal/sdk';
/** Puts seed documents in, once per tenant and content: deleting them later does not bring them back. */
export declare class Seeds {
    #private;
    /** Resolves once the store has had its documents. Not under anybody's signal: others wait for the same. */
    ensure(backend: StoreBackend, store: StoreDefinition, tenant: TenantId): Promise<Result<void, Failure>>;
}
