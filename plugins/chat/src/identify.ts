import { LOCAL_TENANT, principalId, type PrincipalId, type TenantId } from '@amodal/sdk'

export interface Identity { readonly tenant: TenantId; readonly principal: PrincipalId }

const LOCAL: Identity = { tenant: LOCAL_TENANT, principal: principalId('local') }

/** Who asks. The one place that says so: without an authenticator everybody on this machine is one person. */
export const identify = (_request: Request): Identity => LOCAL
