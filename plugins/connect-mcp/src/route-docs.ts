import { beginning, returning } from './login-requests.ts'
import type { RouteDocs } from '@amodal/plugin-http/tokens'

/** What `GET /openapi.json` says of these routes. */
export const ROUTE_DOCS: RouteDocs = {
  'POST /connections/:name/login': {
    summary: 'begins to sign in to an MCP server: the address to open in a browser',
    body: beginning,
  },
  'DELETE /connections/:name/login': { summary: 'forgets what an MCP server has given' },
  'POST /connections/:name/login/return': {
    summary: 'ends a login whose browser has come back to another address than this server',
    body: returning,
  },
}
