import { type Failure, type KnowledgeDocument, type MigrationList, type ReadElsewhere, type Result, type RunContext, type ToolContext } from '@amodal/sdk';
import type { Proposed, Shelf } from './shelf.ts';
export declare const MIGRATIONS: MigrationList;
type Documents = readonly KnowledgeDocument[];
/** Documents in the database that one tenant has approved for itself; nobody else's agent goes by them. */
export declare class TenantShelf implements Shelf {
    #private;
    readonly scope = "tenant";
    /** @param maxChars of all documents of a tenant together */
    constructor(maxChars: number, elsewhere: ReadElsewhere);
    listen(): (() => void) | undefined;
    /** By name, so that the same documents give the same prompt. */
    list({ scope, tenant, signal }: Pick<RunContext, 'scope' | 'tenant' | 'signal'>): Promise<Result<Documents, Failure>>;
    /** Also where it is the agent's own: the tenant's stands behind it, and is the newer one. */
    has(name: string, ctx: RunContext): Promise<boolean>;
    put({ name, title, body, category }: Proposed, { scope, session, signal, tenant, lease }: ToolContext): Promise<Result<void, Failure>>;
    remove(name: string, { scope, signal, tenant, lease }: ToolContext): Promise<Result<boolean, Failure>>;
}
export {};
