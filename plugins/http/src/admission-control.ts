import {
  Authenticator,
  err,
  failure,
  LOCAL_IDENTITY,
  messageOf,
  ok,
  RequestLimiter,
  type Failure,
  type Identity,
  type Logger,
  type MountedRoute,
  type Refusal,
  type RefusalListener,
  type Result,
  type Slot,
} from '@amodal/sdk'
import { withoutEveryRole } from '@amodal/sdk/loop'
import { mayUse } from './may-use.ts'
import { passwordAsToken } from './basic-credential.ts'

/** What is known about the client beyond the request itself. */
export interface ClientInfo {
  /** Address of the client. */
  readonly from?: string | undefined
  /** Identity of the caller, if the embedding application has authenticated the request. */
  readonly identity?: Identity | undefined
}

export interface AdmissionOptions {
  /** Looks a slot up in the generation that serves. */
  readonly find: <T>(slot: Slot<T>) => T | undefined
  readonly listeners: () => Iterable<RefusalListener>
  /** Admits every request as the local identity while no key and no token issuer is configured. */
  readonly openToAll: boolean
  readonly log: Logger
}

type Admitted = Result<Identity | undefined, Failure>

/**
 * Authenticates and authorizes each request, and applies the rate limit, before its body is read.
 */
export class AdmissionControl {
  readonly #options: AdmissionOptions

  constructor(options: AdmissionOptions) {
    this.#options = options
  }

  /**
   * @param route `undefined`: no route matches the path
   * @returns the identity; `undefined` for an unauthenticated caller of an open route
   */
  async admit(
    request: Request,
    route: MountedRoute | undefined,
    client: ClientInfo,
  ): Promise<Admitted> {
    const known = client.identity
      ? ok(client.identity)
      : await this.#identify(
          route?.options.basic === true ? passwordAsToken(request) : request,
          route?.options.open === true,
        )
    if (!known.ok)
      return known.error.code === 'UNAUTHENTICATED'
        ? this.#refuse(known.error, request, client)
        : known
    const identity = known.value
    if (route === undefined || route.options.open === true || !identity) return known
    const { scope } = route.options
    if (!mayUse(identity, scope)) {
      this.#report('FORBIDDEN_SCOPE', request, client, identity)
      return err(
        failure('FORBIDDEN_SCOPE', `this credential lacks the scope "${scope}"`, {
          details: { scope },
        }),
      )
    }
    const counted = (await this.#options.find(RequestLimiter)?.request(identity)) ?? ok(undefined)
    if (counted.ok) return known
    this.#report('RATE_LIMITED', request, client, identity)
    return counted
  }

  async #identify(request: Request, isOpen: boolean): Promise<Admitted> {
    const authenticator = this.#options.find(Authenticator)
    if (!authenticator) return this.#withoutAuthenticator(isOpen)
    // Health checks arrive while the rest starts, and must not wait for it.
    if (isOpen && authenticator.configured() === undefined) return ok(undefined)
    const authenticated = await authenticator.authenticate(request)
    if (!authenticated.ok) return authenticated
    if (authenticated.value) return ok(withoutEveryRole(authenticated.value))
    if (authenticator.configured() === false) return this.#withoutAuthenticator(isOpen)
    return isOpen ? ok(undefined) : err(NO_CREDENTIAL)
  }

  /** No authenticator, or one without a key and without an issuer. */
  #withoutAuthenticator(isOpen: boolean): Admitted {
    if (this.#options.openToAll) return ok(LOCAL_IDENTITY)
    return isOpen ? ok(undefined) : err(NO_CREDENTIAL)
  }

  /**
   * Counts the refusal against the client's address; beyond the limit the failure is
   * `RATE_LIMITED`. Valid credentials from that address are still admitted.
   */
  async #refuse(error: Failure, request: Request, client: ClientInfo): Promise<Admitted> {
    const limiter = this.#options.find(RequestLimiter)
    const counted = client.from === undefined ? undefined : await limiter?.refused(client.from)
    const refused = counted?.ok === false ? counted.error : error
    this.#report(
      refused.code === 'RATE_LIMITED' ? 'RATE_LIMITED' : 'UNAUTHENTICATED',
      request,
      client,
      undefined,
    )
    return err(refused)
  }

  #report(
    code: Refusal['code'],
    { method, url }: Request,
    { from }: ClientInfo,
    identity: Identity | undefined,
  ): void {
    const { log, listeners } = this.#options
    const refusal: Refusal = {
      code,
      method,
      path: new URL(url).pathname,
      ...(from !== undefined && { from }),
      ...(identity && { principal: identity.principal }),
    }
    // At `debug`, since a client that ignores `Retry-After` would fill the log.
    log[code === 'RATE_LIMITED' ? 'debug' : 'info']('http.refused', { ...refusal })
    for (const listener of listeners()) {
      try {
        listener(refusal)
      } catch (cause) {
        log.error('http.listener_failed', { message: messageOf(cause) })
      }
    }
  }
}

const NO_CREDENTIAL = failure(
  'UNAUTHENTICATED',
  'this needs a credential: send it as `Authorization: Bearer …` or `X-API-Key`',
)
