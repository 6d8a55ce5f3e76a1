import type { Caller, Identity, PrincipalId } from '@amodal/sdk';
/** What one kind of subscriber may know. Those of the same `key` read the same. */
export interface View {
    readonly key: string;
    /** Each frame says its type in an `event` line as well. */
    readonly named: boolean;
    sees(type: string, owner: PrincipalId | undefined): boolean;
}
/** The same as what their list of sessions shows them, and what their credential is good for. */
export declare function viewOf({ principal, ownSessionsOnly }: Caller, { scopes }: Identity, named: boolean): View;
