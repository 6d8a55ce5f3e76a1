import type { RouteDocs } from '@amodal/plugin-http/tokens'

/** What `GET /openapi.json` says of these routes. */
export const ROUTE_DOCS: RouteDocs = {
  'GET /api/memory': { summary: 'lists what the agent keeps of whoever asks' },
  'DELETE /api/memory': { summary: 'removes all of it' },
  'DELETE /api/memory/:id': { summary: 'removes one note' },
}
