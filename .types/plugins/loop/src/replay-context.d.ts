import { type AgentBundle, type AgentHooks, type Caller, type Generation, type LaneRef, type Lease, type Placed, type PrincipalId, type RunContext, type RunId, type SessionId, type TenantId } from '@amodal/sdk';
interface Facts extends LaneRef, Caller {
    readonly run: RunId;
    readonly signal?: AbortSignal;
}
/** What a tap may know where no run is driven: nothing of its state, and no way to act. */
declare abstract class IdleContext implements RunContext {
    #private;
    readonly tenant: TenantId;
    readonly session: SessionId;
    readonly run: RunId;
    readonly principal: PrincipalId;
    readonly roles: readonly string[];
    readonly messages: never[];
    readonly sessionState: {};
    readonly context: {};
    readonly withheld: never[];
    readonly bundle: AgentBundle;
    readonly step = 0;
    readonly usage: import("@amodal/sdk").Usage;
    readonly lease: Lease;
    readonly signal: AbortSignal;
    readonly log: RunContext['log'];
    constructor(generation: Generation, bundle: AgentBundle, { tenant, session, run, principal, roles, signal }: Facts);
    get scope(): RunContext['scope'];
    readonly progress: () => void;
    close(): Promise<void>;
}
/** Of a run whose entries are told again. */
export declare class ReplayContext extends IdleContext {
    constructor(generation: Generation, bundle: AgentBundle, ref: LaneRef, entry: Placed);
}
/** Of the run that somebody's first message would begin, for whoever looks at what it would send. */
export declare class PreviewContext extends IdleContext {
    readonly hooks: AgentHooks;
    constructor(generation: Generation, bundle: AgentBundle, hooks: AgentHooks, who: Caller, signal: AbortSignal);
}
export {};
