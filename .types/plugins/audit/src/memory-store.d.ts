import { type AuditDraft, type TenantId } from '@amodal/sdk';
import { type AuditLine } from './line.ts';
import type { ChainStore, Range } from './store.ts';
/** Chains that live as long as this process. */
export declare class MemoryChains implements ChainStore {
    #private;
    append(tenant: TenantId, drafts: readonly AuditDraft[]): Promise<import("@amodal/sdk").Ok<readonly AuditLine[]>>;
    read(tenant: TenantId, { after, session, limit }: Range): Promise<import("@amodal/sdk").Ok<AuditLine[]>>;
    head(tenant: TenantId): Promise<import("@amodal/sdk").Ok<{
        n: number;
        hash: string;
        seal: undefined;
    }>>;
    tenants(): Promise<import("@amodal/sdk").Ok<TenantId[]>>;
}
