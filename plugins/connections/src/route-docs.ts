import type { RouteDocs } from '@amodal/plugin-http/tokens'

/** What `GET /openapi.json` says of these routes. */
export const ROUTE_DOCS: RouteDocs = {
  'GET /inspect/connections': { summary: 'what the agent reaches outside, and how it fares' },
  'GET /inspect/connections/:name': { summary: 'one connection: address, endpoints, rules' },
}
