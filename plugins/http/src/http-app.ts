import { slot, type Identity } from '@amodal/sdk'

/** The entry point of the server, usable without its socket. */
export interface HttpApp {
  /**
   * Handles a request with the routes of the current generation. For an embedding application,
   * which guards its own entry point: host and origin are not checked, and its `identity` is
   * trusted.
   */
  fetch(request: Request, client?: { readonly identity?: Identity }): Promise<Response>
  /** The address that the socket listens on; `undefined` until it listens. */
  address(): { readonly host: string; readonly port: number } | undefined
  /** Prefixes that plugins have mounted, the longest first. */
  routes(): readonly string[]
  /**
   * Whether every caller has to be known: other machines can connect, and `allowUnauthenticated` is
   * not set.
   */
  readonly needsCredentials: boolean
}
export const HttpApp = slot.kernel<HttpApp>('http-app')
