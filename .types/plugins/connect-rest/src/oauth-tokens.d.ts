import { type Failure, type Outbound, type RestAuth, type Result, type TenantId } from '@amodal/sdk';
import type { Credentials } from './credentials.ts';
type OAuth = Extract<RestAuth, {
    kind: 'oauth2';
}>;
/** Access tokens by connection and tenant. Many callers of one that is missing make one request. */
export declare class OAuthTokens {
    #private;
    constructor(outbound: Outbound, credentials: Credentials, now: () => number);
    /** @param not a token that the target did not take */
    get(connection: string, auth: OAuth, tenant: TenantId, not: string | undefined, signal: AbortSignal): Promise<Result<string, Failure>>;
    /** Tokens that are known now: they must not be shown. */
    values(): readonly string[];
}
export {};
