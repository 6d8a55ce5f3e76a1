import { StoreBackend, type AgentBundle, type Caller, type Failure, type Generation, type Result, type StoreDefinition, type TenantId, type ToolContext } from '@amodal/sdk';
import type { Seeds } from './seed.ts';
/** Who may write into stores that all tenants share: nobody, everybody, or those with one of these roles. */
export type SharedWrites = 'nobody' | 'everybody' | readonly string[];
/** Opens the documents of a store: those of a tenant, or of all of them where the store is shared. */
export declare class Documents {
    #private;
    constructor(generation: () => Generation, seeds: Seeds, sharedWrites: SharedWrites);
    /** Somebody may write into it. */
    isWritable(store: StoreDefinition): boolean;
    mayWrite(store: StoreDefinition, roles: readonly string[]): boolean;
    /** Whether somebody with these roles may do what a tool does. */
    mayUse(tool: string, bundle: AgentBundle, roles: readonly string[]): boolean;
    /** The same for a bundle that was made for some roles. */
    allows(tool: string, bundle: AgentBundle): boolean;
    /** The key of a write, told apart from those of other tenants where they write into the same store. */
    callKey(store: StoreDefinition, tenant: TenantId, key: string): string;
    /** Tells whoever wants to know that documents have changed. */
    changed(store: StoreDefinition, tenant: TenantId, operation: 'put' | 'delete' | 'batch', count: number): void;
    /** Does the work of a tool call. */
    inCall<T>(store: StoreDefinition, { scope, tenant }: ToolContext, work: (backend: StoreBackend) => Promise<T>): Promise<Result<T, Failure>>;
    /** Does the work of a request. */
    inRequest<T>(store: StoreDefinition, { tenant }: Caller, work: (backend: StoreBackend) => Promise<T>): Promise<Result<T, Failure>>;
}
