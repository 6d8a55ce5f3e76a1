import type { AgentEvent } from '../events.ts';
import type { PrincipalId, RunId, SessionId, TenantId } from '../ids.ts';
import type { Lease } from '../journal/lease.ts';
import type { Logger } from '../ports/log.ts';
import type { Slot } from '../token.ts';
import type { Usage } from '../usage.ts';
/** What the kernel knows of a run, for taps. A loop adds what it knows. */
export interface TurnContext {
    readonly tenant: TenantId;
    readonly session: SessionId;
    readonly run: RunId;
    readonly principal: PrincipalId;
    /** What the principal may do, as it was when the run was asked for. */
    readonly roles: readonly string[];
    /** `true`: a sub-agent runs, on the principal's behalf. */
    readonly delegated?: boolean;
    readonly step: number;
    readonly usage: Usage;
    readonly lease: Lease;
    /** Aborts on cancel, on a lost lease and on the deadline of the run. */
    readonly signal: AbortSignal;
    readonly log: Logger;
    readonly scope: {
        get<T>(token: Slot<T>): T;
        find<T>(token: Slot<T>): T | undefined;
    };
    /** Progress on the live stream; facts are entries. */
    readonly progress: (event: AgentEvent) => void;
}
