import { type AuditDraft, type Database, type Failure, type Result, type TenantId } from '@amodal/sdk';
import { type AuditLine } from './line.ts';
import type { SealedHead } from './seal.ts';
import type { Sealing } from './sealing.ts';
import type { ChainStore, Range } from './store.ts';
/**
 * Chains in the database. A line can only follow the head it was made for: whoever comes second finds the head
 * moved, and makes its lines anew. Alone on a chain, adding is one statement.
 */
export declare class DatabaseChains implements ChainStore {
    #private;
    /** @param sealing signs what is added; without it nothing is signed */
    constructor(database: Database, sealing?: Sealing);
    append(tenant: TenantId, drafts: readonly AuditDraft[], signal: AbortSignal): Promise<Result<readonly AuditLine[], Failure>>;
    read(tenant: TenantId, { after, session, limit }: Range, signal: AbortSignal): Promise<Result<readonly AuditLine[], Failure>>;
    head(tenant: TenantId, signal: AbortSignal): Promise<Result<SealedHead, Failure>>;
    /** Of all chains. */
    heads(signal: AbortSignal): Promise<Result<ReadonlyMap<TenantId, SealedHead>, Failure>>;
    tenants(signal: AbortSignal): Promise<Result<readonly TenantId[], Failure>>;
}
