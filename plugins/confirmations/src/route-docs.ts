import type { RouteDocs } from '@amodal/plugin-http/tokens'

/** What `GET /openapi.json` says of these routes. */
export const ROUTE_DOCS: RouteDocs = {
  'DELETE /sessions/:id/grants/:grant': {
    summary: 'ends an approval for the rest of the conversation',
    errors: ['SESSION_NOT_FOUND'],
  },
}
