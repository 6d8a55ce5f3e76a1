import { slot, type Failure, type PrincipalId, type Result, type TenantId } from '@amodal/kernel'

/** Who a request is from, and what it may reach. */
export interface Identity {
  readonly principal: PrincipalId
  /** Whose data, where the credential says so; a `scope_id` of a request may say it where this is left out. */
  readonly tenant?: TenantId
  /** What may be used: names of role files. */
  readonly roles: readonly string[]
  /** What the credential is good for, such as `chat`, `admin`; `*` is everything. */
  readonly scopes: readonly string[]
  readonly name?: string
}

/** Finds out who asks, before anything of a request is read. Without a provider everybody on this machine is one person. */
export interface Authenticator {
  /** 401 with `UNAUTHENTICATED` where a credential is missing or not good. Takes the same time for every bad one. */
  authenticate(request: Request): Promise<Result<Identity, Failure>>
}
export const Authenticator = slot.kernel<Authenticator>('authenticator')

/** Whose data a request is about. Without a provider there is one tenant. */
export interface Tenancy {
  /** `asked`: the `scope_id` of the request. `SCOPE_REQUIRED` (400) where none is given and one is needed; a scope that is not theirs answers as an unknown one does. */
  tenantOf(identity: Identity, asked: string | undefined): Result<TenantId, Failure>
}
export const Tenancy = slot.kernel<Tenancy>('tenancy')

/** Counts what one principal asks for. */
export interface RequestLimiter {
  /** `RATE_LIMITED` (429) with `details.retry_after_seconds`. */
  take(identity: Identity, cost: 'request' | 'message'): Promise<Result<void, Failure>>
}
export const RequestLimiter = slot.kernel<RequestLimiter>('request-limiter')
