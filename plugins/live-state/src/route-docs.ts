import type { RouteDocs } from '@amodal/plugin-http/tokens'

/** What `GET /openapi.json` says of these routes. */
export const ROUTE_DOCS: RouteDocs = {
  'GET /sessions/:id/state': {
    summary: 'the live state as the caller may see it, with its version',
  },
  'PATCH /sessions/:id/state': { summary: 'changes fields of the live state, for a version' },
  'GET /sessions/:id/state/stream': { summary: 'the live state as it changes, as JSON Patch' },
}
