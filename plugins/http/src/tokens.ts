import { slot, type Identity } from '@amodal/sdk'

/** The server's one door, also without its socket. */
export interface HttpApp {
  /**
   * Answers a request with the routes of the current generation. For an embedding, which guards its
   * own door: host and origin are not checked here, and whoever it says asks is believed.
   */
  fetch(request: Request, visit?: { readonly identity?: Identity }): Promise<Response>
  /** Where the socket listens; `undefined` until it does. */
  address(): { readonly host: string; readonly port: number } | undefined
  /** Prefixes that plugins have mounted, the longest first. */
  routes(): readonly string[]
  /**
   * Other machines can connect, and nobody has said that this is fine without asking who they are.
   */
  readonly exposed: boolean
}
export const HttpApp = slot.kernel<HttpApp>('http-app')

export { endpoint, type Method } from './endpoint.ts'
export { crashed, failed, statusOf } from './failed.ts'
export { problems, readJson } from './read-json.ts'
export { isLoopback } from './same-origin.ts'
