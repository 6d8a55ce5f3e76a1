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

export { askRoutes, askServer, errorLine, type AskRoutes } from './ask-routes.ts'
export { endpoint, type Method } from './endpoint.ts'
export { crashed, failed } from './failed.ts'
export { exportFile, type ExportFormat, type ExportPage } from './export-file.ts'
export { fileHeaders } from './file-headers.ts'
export { IdempotencyKey, idempotencyKeyOf } from './idempotency-key.ts'
export {
  describeRoutes,
  docsOf,
  type ResponseDoc,
  type RouteDoc,
  type RouteDocs,
} from './openapi/route-docs.ts'
export { mayUse } from './may-use.ts'
export { problems, readJson, unreadBody } from './read-json.ts'
export { isLoopback } from './same-origin.ts'
export { rateLimited } from './rate-limited.ts'
export { serverCredential } from './server-credential.ts'
export { staticFile, staticRoute, type StaticFile } from './static-file.ts'
