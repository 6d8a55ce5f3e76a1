import { type Failure, type Result, type StoreBackend, type StoreDefinition, type StoreDocument, type StorePage, type StoreQuery, type StoreWrite, type StoreWriteOptions, type StoreWriteOutcome, type TenantDatabase } from '@amodal/sdk';
/** Documents of one tenant: the connection itself lets no other row through. */
export declare class DatabaseStores implements StoreBackend {
    #private;
    constructor(database: TenantDatabase);
    get(store: StoreDefinition, key: string, signal: AbortSignal): Promise<Result<StoreDocument | undefined, Failure>>;
    query(store: StoreDefinition, query: StoreQuery, signal: AbortSignal): Promise<Result<StorePage, Failure>>;
    write(store: StoreDefinition, writes: readonly StoreWrite[], options: StoreWriteOptions, signal: AbortSignal): Promise<Result<readonly StoreWriteOutcome[], Failure>>;
    remove(store: StoreDefinition, key: string, options: Pick<StoreWriteOptions, 'callKey' | 'asked' | 'lease'>, signal: AbortSignal): Promise<Result<boolean, Failure>>;
    history(store: StoreDefinition, key: string, signal: AbortSignal): Promise<Result<readonly StoreDocument[], Failure>>;
    count(store: StoreDefinition, signal: AbortSignal): Promise<Result<number, Failure>>;
}
