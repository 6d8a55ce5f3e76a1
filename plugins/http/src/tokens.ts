export { HttpApp } from './http-app.ts'
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
export { serveUntilStopped } from './serving.ts'
export { staticFile, staticRoute, type StaticFile } from './static-file.ts'
