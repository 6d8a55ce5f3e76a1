import type { RouteDocs } from '@amodal/plugin-http/tokens'

/** What `GET /openapi.json` says of these routes. */
export const ROUTE_DOCS: RouteDocs = {
  'GET /api/feedback': { summary: 'lists feedback, the newest first' },
  'POST /api/feedback': { summary: 'says whether an answer was good, or takes that back' },
  'GET /api/feedback/categories': { summary: 'the reasons that people are offered' },
  'GET /api/feedback/export': { summary: 'feedback as a file: JSON lines or CSV' },
  'GET /api/feedback/stats': { summary: 'counts feedback by rating, reason and day' },
}
