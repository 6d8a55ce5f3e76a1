import { slot } from '@amodal/sdk'

/** The server's one door, also without its socket. */
export interface HttpApp {
  /** Answers a request with the routes of the current generation. For an embedding, which guards its own door: host and origin are not checked here. */
  fetch(request: Request): Promise<Response>
  /** Where the socket listens; `undefined` until it does. */
  address(): { readonly host: string; readonly port: number } | undefined
  /** Prefixes that plugins have mounted, the longest first. */
  routes(): readonly string[]
}
export const HttpApp = slot.kernel<HttpApp>('http-app')

export { endpoint, type Method } from './endpoint.ts'
export { crashed, failed, statusOf } from './failed.ts'
export { problems, readJson } from './read-json.ts'
