import { TokenRequest } from './token-request.ts'
import type { RouteDocs } from '@amodal/plugin-http/tokens'

/** What `GET /openapi.json` says of these routes. */
export const ROUTE_DOCS: RouteDocs = {
  'POST /auth/tokens': {
    summary: 'a short-lived token for a person whom the caller, a backend, has signed in',
    body: TokenRequest,
    errors: ['ENV_NOT_SET'],
  },
}
