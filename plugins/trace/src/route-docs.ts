import { DetailQuery, Query } from './query.ts'
import type { RouteDocs } from '@amodal/plugin-http/tokens'

/** What `GET /openapi.json` says of these routes. */
export const ROUTE_DOCS: RouteDocs = {
  'GET /sessions/:id/trace': {
    summary: 'what a session did, as rows with times, tokens and cost',
    query: Query,
    errors: ['SESSION_NOT_FOUND'],
  },
  'GET /sessions/:id/trace/:row': {
    summary: 'all that is known of one row of a trace',
    query: DetailQuery,
    errors: ['SESSION_NOT_FOUND'],
  },
}
