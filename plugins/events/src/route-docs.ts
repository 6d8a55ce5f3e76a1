import type { RouteDocs } from '@amodal/plugin-http/tokens'

/** What `GET /openapi.json` says of these routes. */
export const ROUTE_DOCS: RouteDocs = {
  'GET /api/events': { summary: 'streams what changes on the server' },
}
