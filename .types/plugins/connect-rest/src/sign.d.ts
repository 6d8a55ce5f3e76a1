import { type Failure, type RestAuth, type Result, type TenantId } from '@amodal/sdk';
import type { Credentials } from './credentials.ts';
import type { OAuthTokens } from './oauth-tokens.ts';
/** What a request carries to say who asks. Put in last, so that it wins. */
export interface Signature {
    readonly headers: Readonly<Record<string, string>>;
    readonly query: Readonly<Record<string, string>>;
    /** The access token, which may have to be renewed. */
    readonly token?: string;
}
/** Who signs, for whom. `not`: a token that the target did not take. */
export interface Signing {
    readonly name: string;
    readonly auth: RestAuth | undefined;
    readonly tenant: TenantId;
    readonly not: string | undefined;
    readonly signal: AbortSignal;
}
/** The credentials of a connection. */
export declare function sign({ name, auth, tenant, not, signal }: Signing, credentials: Credentials, tokens: OAuthTokens): Promise<Result<Signature, Failure>>;
