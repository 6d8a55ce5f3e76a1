import { type Credential, type Failure, type Result, type ScopeSecrets, type Secrets, type TenantId } from '@amodal/sdk';
export interface Credentials {
    /** The value behind a text of `spec.json`, for one tenant. */
    resolve(text: Credential, where: string, tenant: TenantId): Result<string, Failure>;
    /** An address, which is no secret. */
    address(text: Credential, where: string): Result<string, Failure>;
}
export declare function credentialsFrom(secrets: Secrets, scopes: ScopeSecrets | undefined): Credentials;
