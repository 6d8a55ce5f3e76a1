import { type Failure, type Lease, type PrincipalId, type Result, type TenantDatabase } from '@amodal/sdk';
import type { Memory, MemoryDraft, MemoryStore, Noted } from './tokens.ts';
/** Notes in the database: the connection itself lets no row of another tenant through. */
export declare class DatabaseMemory implements MemoryStore {
    #private;
    /** @param owner whose notes these are; empty: the tenant's */
    constructor(database: TenantDatabase, owner: string, notedBy: PrincipalId, limit: number);
    add({ id, text, origin }: MemoryDraft, signal: AbortSignal, lease?: Lease): Promise<Result<Noted, Failure>>;
    list(signal: AbortSignal): Promise<Result<readonly Memory[], Failure>>;
    remove(id: string, signal: AbortSignal, lease?: Lease): Promise<Result<boolean, Failure>>;
    clear(signal: AbortSignal): Promise<Result<number, Failure>>;
}
