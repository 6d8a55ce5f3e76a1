import { type ScopeSecrets, type Secrets } from '@amodal/sdk';
/** References by tenant and name: `{ "acme": { "CRM_TOKEN": "env:ACME_CRM" } }`. */
export type Scopes = Readonly<Record<string, Readonly<Record<string, string>>>>;
/**
 * Secrets of tenants, from the plugin's config or from variables `AMODAL_SCOPE_<TENANT>__<NAME>`. Two underscores stand
 * between, and only tenants of small letters, digits and single hyphens have variables: so no two tenants share one.
 */
export declare function scopeSecrets(secrets: Secrets, scopes: Scopes): ScopeSecrets;
