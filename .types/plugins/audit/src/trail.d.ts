import { type AuditDraft, type AuditTrail, type Failure, type Logger, type Result, type TenantId } from '@amodal/sdk';
import type { AuditLine } from './line.ts';
import type { ChainStore } from './store.ts';
/** Lines on their way into the chains: together, in order, one flight per tenant, and again until they are there. */
export declare class Trail implements AuditTrail {
    #private;
    /** Why lines are not kept now. */
    problem: Failure | undefined;
    /** @param kept told of every line once it is in its chain */
    constructor(store: ChainStore, log: Logger, kept: (tenant: TenantId, lines: readonly AuditLine[]) => void);
    record(draft: AuditDraft): void;
    write(draft: AuditDraft, signal: AbortSignal): Promise<Result<void, Failure>>;
    /** All lines that wait, written now; those that are on their way are waited for. */
    flush(): Promise<void>;
    close(): void;
}
