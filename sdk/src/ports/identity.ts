import {
  LOCAL_TENANT,
  principalId,
  registry,
  slot,
  tenantId,
  type Failure,
  type PrincipalId,
  type Result,
  type TenantId,
} from '@amodal/kernel'
import type { Caller } from './agent.ts'

/** Who a request is from, and what it may reach. */
export interface Identity {
  readonly principal: PrincipalId
  /** Whose data, where the credential says so: nothing else of the request can say otherwise. */
  readonly tenant?: TenantId
  /**
   * Where the credential says no tenant: the `scope_id` of a request may. A backend's key is like
   * that, a person's token is not.
   */
  readonly choosesTenant?: boolean
  /** What may be used: names of role files. */
  readonly roles: readonly string[]
  /** Which routes it is good for, such as `chat` or `stores`; `*` is all of them. */
  readonly scopes: readonly string[]
  /** For people: what the credential is called. */
  readonly name?: string
  /**
   * Copied to {@link Caller.mayNotDecide} of every caller with this identity, whatever `Tenancy`
   * returns.
   */
  readonly mayNotDecide?: string
  /**
   * Copied to {@link Caller.ownSessionsOnly} likewise: a person of a web page sees no conversation
   * of another one.
   */
  readonly ownSessionsOnly?: boolean
}

/**
 * Stands among the roles of the person of this machine, who may do what any role may. No role file
 * can be called like this; a server takes it from no credential.
 */
export const EVERY_ROLE = '*'

/** Every caller on this machine, if callers are not authenticated. */
export const LOCAL_IDENTITY: Identity = Object.freeze({
  principal: principalId('local'),
  choosesTenant: true,
  roles: [EVERY_ROLE],
  scopes: ['*'],
})

/** The same person, when the command line acts for them. */
export const LOCAL_CALLER: Caller = Object.freeze({
  tenant: LOCAL_TENANT,
  principal: LOCAL_IDENTITY.principal,
  roles: LOCAL_IDENTITY.roles,
})

/**
 * An identity as authenticators other than the local one may return it: a remote principal never
 * has every role.
 */
export const withoutEveryRole = (identity: Identity): Identity =>
  identity.principal === LOCAL_IDENTITY.principal || !identity.roles.includes(EVERY_ROLE)
    ? identity
    : { ...identity, roles: identity.roles.filter((role) => role !== EVERY_ROLE) }

/** Finds out who asks, before anything of a request is read. */
export interface Authenticator {
  /**
   * Whether any credential can be valid: there is a key or a token issuer. If not, a server that
   * only its own machine can reach admits requests without a credential. `undefined`: not known
   * yet; `authenticate` waits until it is.
   */
  configured(): boolean | undefined
  /** The server is starting, and no request can be authenticated yet. Default: never. */
  isStarting?(): boolean
  /**
   * `undefined` where the request carries no credential. `UNAUTHENTICATED` for one that is not
   * good: the same failure, after the same work, whatever is wrong with it. Any other failure says
   * that it cannot be checked now.
   */
  authenticate(request: Request): Promise<Result<Identity | undefined, Failure>>
}
export const Authenticator = slot.kernel<Authenticator>('authenticator')

/**
 * Proves that the client can read the server's files, on a machine where requests are otherwise not
 * authenticated.
 */
export interface LocalToken {
  /** The token; `undefined`: none is required. Known once the server has started. */
  text(): string | undefined
}
export const LocalToken = slot.kernel<LocalToken>('local-token')

/**
 * Whose data a request is about. Without a provider there is one tenant, and one for each
 * credential that names its own.
 */
export interface Tenancy {
  /**
   * Who `agent.as` is to act for.
   *
   * @param scopeId the `scope_id` of the request
   * @returns `SCOPE_REQUIRED` where none is given and one is needed; `NOT_FOUND`, the same for all,
   *   for one that does not exist and for one of another caller
   */
  callerOf(identity: Identity, scopeId: string | undefined): Result<Caller, Failure>
}
export const Tenancy = slot.kernel<Tenancy>('tenancy')

/** Data of all tenants. No `scope_id` can be spelled like this. */
export const SHARED_TENANT: TenantId = tenantId('*')

/**
 * Counts requests and messages, and limits them. Each method fails with `RATE_LIMITED` and
 * `details.retry_after_seconds`.
 */
export interface RequestLimiter {
  request(identity: Identity): Promise<Result<void, Failure>>
  /**
   * Before a message is accepted. `release` once it is, or is refused: until then it counts as a
   * run in progress.
   */
  message(caller: Caller): Promise<Result<{ readonly release: () => void }, Failure>>
  /**
   * Before work is accepted that waits in a queue: it counts as a message, and has no place among
   * the runs in progress, since the queue decides how many of those there are.
   */
  queued(caller: Caller): Promise<Result<void, Failure>>
  /**
   * After a request was refused for want of a good credential.
   * @param from the address it came from
   */
  refused(from: string): Promise<Result<void, Failure>>
}
export const RequestLimiter = slot.kernel<RequestLimiter>('request-limiter')

/** A request that was refused at the door. */
export interface Refusal {
  readonly code: 'UNAUTHENTICATED' | 'FORBIDDEN_SCOPE' | 'RATE_LIMITED'
  readonly method: string
  readonly path: string
  /** Address of the client, where there is one. */
  readonly from?: string
  /** Where it is known who it was. */
  readonly principal?: PrincipalId
}

/**
 * Called for each refused request, for example by an audit log. An exception is logged and
 * otherwise ignored.
 */
export type RefusalListener = (refusal: Refusal) => void
export const RefusalListeners = registry<RefusalListener>('refusal-listeners')
