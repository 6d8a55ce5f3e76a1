/** What a handler knows of a request beside itself. */
export interface RouteContext {
  /** Aborts when the client is gone or the server closes. */
  readonly signal: AbortSignal
}

/** Web standards only, so that a Hono app, a plain function or another framework can be mounted. */
export interface RouteHandler { fetch(request: Request, context: RouteContext): Response | Promise<Response> }

export interface RouteOptions {
  /** Bytes of body allowed; the server's default where it is not given. */
  readonly maxBody?: number
  /** Answers without authentication (health). */
  readonly open?: boolean
}

export interface MountedRoute { readonly prefix: string; readonly handler: RouteHandler; readonly options: RouteOptions; readonly plugin: string }

/** The longest matching prefix wins; the same prefix twice is an error that names both plugins. */
export interface RouteTable { mount(prefix: string, handler: RouteHandler, options?: RouteOptions): void }
