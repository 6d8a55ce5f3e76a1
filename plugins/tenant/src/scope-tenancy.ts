import {
  err,
  failure,
  ok,
  tenantId,
  type Caller,
  type Failure,
  type Identity,
  type Result,
  type Tenancy,
  type TenantId,
} from '@amodal/sdk'

export interface TenancyOptions {
  readonly requireScope: boolean
  readonly default: string
  readonly known?: readonly string[] | undefined
  readonly sessions: 'tenant' | 'principal'
}

/** The same response for a scope that does not exist and for one of another tenant. */
const NO_SCOPE = failure('NOT_FOUND', 'there is no such scope')
const MISSING = failure(
  'SCOPE_REQUIRED',
  'scope_id: says whose data this is about; send it in the body, as ?scope_id or as X-Scope-Id',
)

/** Maps each scope to a tenant. The tenant of the credential wins over the one in the request. */
export class ScopeTenancy implements Tenancy {
  readonly #options: TenancyOptions
  readonly #known: ReadonlySet<string> | undefined

  constructor(options: TenancyOptions) {
    this.#options = options
    this.#known = options.known && new Set(options.known)
  }

  callerOf(identity: Identity, asked: string | undefined): Result<Caller, Failure> {
    const tenant = this.#tenantOf(identity, asked)
    if (!tenant.ok) return tenant
    const { principal, roles } = identity
    return ok({
      tenant: tenant.value,
      principal,
      roles,
      ...(this.#options.sessions === 'principal' && { ownSessionsOnly: true }),
    })
  }

  #tenantOf(
    { tenant, choosesTenant = false }: Identity,
    asked: string | undefined,
  ): Result<TenantId, Failure> {
    const { requireScope, default: otherwise } = this.#options
    if (tenant !== undefined)
      return asked === undefined || asked === tenant ? ok(tenant) : err(NO_SCOPE)
    if (asked === undefined) return requireScope ? err(MISSING) : ok(tenantId(otherwise))
    const isTheirs = choosesTenant
      ? (this.#known?.has(asked) ?? true)
      : asked === otherwise && !requireScope
    return isTheirs ? ok(tenantId(asked)) : err(NO_SCOPE)
  }
}
