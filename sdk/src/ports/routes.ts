import type { Failure, Result } from '@amodal/kernel'
import type { Caller } from './agent.ts'
import type { Identity } from './identity.ts'

/** What a handler gets in addition to the request. */
export interface RouteContext {
  /** Aborts when the client disconnects or the server closes. */
  readonly signal: AbortSignal
  /**
   * The authenticated identity; `undefined` for an unauthenticated request, which only reaches
   * routes mounted `open`.
   */
  readonly identity: Identity | undefined
  /** Address of the client, behind trusted proxies; unknown where a program hands a request in. */
  readonly from?: string | undefined
  /**
   * Who `agent.as` is to act for, and whose data the request is about.
   *
   * @param scopeId the `scope_id` of the body, if it has one; `?scope_id` and the header
   *   `X-Scope-Id` count as well
   * @returns `VALIDATION_ERROR` where those differ, or the failure of `Tenancy`
   */
  readonly caller: (scopeId?: string | null) => Result<Caller, Failure>
}

/** Web standards only, so that a Hono app, a plain function or another framework can be mounted. */
export interface RouteHandler {
  fetch(request: Request, context: RouteContext): Response | Promise<Response>
}

export interface RouteOptions {
  /** Bytes of body allowed; the server's default where it is not given. */
  readonly maxBody?: number
  /** Answers strangers too (health). */
  readonly open?: boolean
  /** Answers its path alone, and nothing below it. */
  readonly exact?: boolean
  /**
   * What a credential must be good for. Where it is not given: the same as for the route it lies
   * under, or the name of its plugin.
   */
  readonly scope?: string
  /**
   * Accepts a credential as the password of Basic authentication as well, for programs such as git
   * that send no other. Not from a browser, which would attach it to requests of foreign pages.
   */
  readonly basic?: boolean
  /**
   * Additional parameters for `WWW-Authenticate`, such as where a token can be obtained; empty for
   * none.
   */
  readonly challenge?: (request: Request) => string
}

export interface MountedRoute {
  readonly prefix: string
  readonly handler: RouteHandler
  /** With the scope that a credential needs, found where the plugin gave none. */
  readonly options: RouteOptions & { readonly scope: string }
  readonly plugin: string
}

/**
 * The longest matching prefix wins; the same prefix twice is an error that names both plugins. A
 * segment such as `:id` stands for any one, and one that is written out wins over it.
 */
export interface RouteTable {
  mount(prefix: string, handler: RouteHandler, options?: RouteOptions): void
}
