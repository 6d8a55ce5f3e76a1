import { z } from 'zod'
import type { RouteDocs } from '@amodal/plugin-http/tokens'

/** What `GET /openapi.json` says of these routes. */
export const ROUTE_DOCS: RouteDocs = {
  'GET /api/events': {
    summary: 'streams what changes on the server',
    query: z.object({
      replay: z.coerce.number().int().optional(),
      named: z.enum(['0', '1']).optional(),
    }),
    headers: { 'Last-Event-ID': 'The last event that the client has.' },
    responses: { 200: { about: 'Events of the server.', events: 'server' } },
  },
}
