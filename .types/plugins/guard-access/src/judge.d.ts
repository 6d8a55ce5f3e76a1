import type { AccessRule, AccessTier, Action, Connection } from '@amodal/sdk';
import { type Bulk } from './bulk.ts';
/** What a call may do, and why. */
export interface Judgement {
    readonly tier: AccessTier;
    /** For the person who decides. */
    readonly reasons: readonly string[];
    /** Something about this very request made it stricter than its rule. */
    readonly escalated: boolean;
    readonly rule?: AccessRule;
    readonly bulk?: Bulk;
    /** For whoever asks there is no such endpoint. */
    readonly hidden?: true;
}
/** Who asks. `declared`: what the tool itself asks for, where its connection has no rules. */
export interface Facts {
    readonly delegated: boolean;
    /** ms since a person's work was handed to the sub-agent that asks. */
    readonly delegatedMs?: number;
    readonly declared: AccessTier;
    /** What the caller says that it means to do. */
    readonly intent?: string;
}
/** Rules are made ready once for each connection that was read. */
export declare class Judge {
    #private;
    /**
     * What `access.json` says of an action: rule, thresholds, bulk, delegation, in this order. Where a request can be read in
     * several ways, each is judged in full, and the strictest counts.
     *
     * @example judge.judge(connection, action, { delegated: false, declared: 'allow' }).tier // 'confirm'
     */
    judge(connection: Connection, action: Action, { delegated, delegatedMs, declared, intent }: Facts): Judgement;
    /** Whether every rule for an action, however it is read, lets strangers have their way with it. */
    ignoresTaint({ access, rest }: Connection, action: Action): boolean;
}
