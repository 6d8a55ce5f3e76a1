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

/** What is known of a request that does not stand in it. */
export interface Visit {
  /** Address of the client. */
  readonly from?: string | undefined
  /** Who it is, where whoever embeds the routes has found that out. */
  readonly identity?: Identity | undefined
}

export interface DoorOptions {
  /** What fills a slot in the wiring that serves. */
  readonly find: <T>(slot: Slot<T>) => T | undefined
  readonly listeners: () => Iterable<RefusalListener>
  /** Whoever gets here is let in while there is no key and no issuer of tokens to ask for. */
  readonly openToAll: boolean
  readonly log: Logger
}

type Admitted = Result<Identity | undefined, Failure>

/**
 * Asks each request who it is from, and whether that is good for its route, before anything of its
 * body is read.
 */
export class Door {
  readonly #options: DoorOptions

  constructor(options: DoorOptions) {
    this.#options = options
  }

  /**
   * Who it is; `undefined` for a stranger at an open route.
   * @param route `undefined`: there is nothing at that path
   */
  async admit(request: Request, route: MountedRoute | undefined, visit: Visit): Promise<Admitted> {
    const known = visit.identity
      ? ok(visit.identity)
      : await this.#identify(request, route?.options.open === true)
    if (!known.ok)
      return known.error.code === 'UNAUTHENTICATED'
        ? this.#refuse(known.error, request, visit)
        : known
    const identity = known.value
    if (route === undefined || route.options.open === true || !identity) return known
    const scope = route.options.scope ?? route.plugin
    if (!mayUse(identity, scope)) {
      this.#tell('FORBIDDEN_SCOPE', request, visit, identity)
      return err(
        failure('FORBIDDEN_SCOPE', `this credential is not good for "${scope}"`, {
          details: { scope },
        }),
      )
    }
    const taken = (await this.#options.find(RequestLimiter)?.request(identity)) ?? ok(undefined)
    if (taken.ok) return known
    this.#tell('RATE_LIMITED', request, visit, identity)
    return taken
  }

  async #identify(request: Request, isOpen: boolean): Promise<Admitted> {
    const authenticator = this.#options.find(Authenticator)
    if (!authenticator) return this.#unasked(isOpen)
    // Health is asked for while the rest starts, and must not wait for it.
    if (isOpen && authenticator.configured() === undefined) return ok(undefined)
    const said = await authenticator.authenticate(request)
    if (!said.ok || said.value) return said
    return authenticator.configured() === false
      ? this.#unasked(isOpen)
      : isOpen
        ? ok(undefined)
        : err(NOBODY)
  }

  /** There is nothing to know anybody by. */
  #unasked(isOpen: boolean): Admitted {
    if (this.#options.openToAll) return ok(LOCAL_IDENTITY)
    return isOpen ? ok(undefined) : err(NOBODY)
  }

  /**
   * Once an address has been refused too often it is told so. Good credentials from there are let
   * in as ever.
   */
  async #refuse(error: Failure, request: Request, visit: Visit): Promise<Admitted> {
    const limiter = this.#options.find(RequestLimiter)
    const counted = visit.from === undefined ? undefined : await limiter?.refused(visit.from)
    const refused = counted?.ok === false ? counted.error : error
    this.#tell(
      refused.code === 'RATE_LIMITED' ? 'RATE_LIMITED' : 'UNAUTHENTICATED',
      request,
      visit,
      undefined,
    )
    return err(refused)
  }

  #tell(
    code: Refusal['code'],
    { method, url }: Request,
    { from }: Visit,
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
    // Whoever is told to wait and does not would fill the log.
    log[code === 'RATE_LIMITED' ? 'debug' : 'info']('http.refused', { ...refusal })
    for (const heard of listeners()) {
      try {
        heard(refusal)
      } catch (cause) {
        log.error('http.listener_failed', { message: messageOf(cause) })
      }
    }
  }
}

const NOBODY = failure(
  'UNAUTHENTICATED',
  'this needs a credential: send it as `Authorization: Bearer …` or `X-API-Key`',
)

const mayUse = ({ scopes }: Identity, scope: string): boolean =>
  scopes.includes('*') || scopes.includes(scope)
