import type { PrincipalId, SessionId, TenantId } from '@amodal/sdk';
/** Of whom and of whose data a request is. */
export interface Asker {
    readonly tenant: TenantId;
    readonly principal: PrincipalId;
    readonly session: SessionId;
    /** `context` of the message, as it was sent. */
    readonly context: Readonly<Record<string, string>>;
}
/**
 * A value of who asks. Tenant, principal and session are what the server knows. `userId` is the principal; where the
 * message is believed (`trustContext`), what it says of the user, and any other name, comes from its `context`.
 */
export declare function userContext(name: string, { tenant, principal, session, context }: Asker, trustContext: boolean): string | undefined;
