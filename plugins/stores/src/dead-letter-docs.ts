import { Page, Retry } from './dead-letter-requests.ts'
import type { RouteDocs } from '@amodal/plugin-http/tokens'

/** What `GET /openapi.json` says of these routes. */
export const DEAD_LETTER_DOCS: RouteDocs = {
  'GET /api/dead-letters/:name': {
    summary: 'lists documents that could not be written',
    query: Page,
  },
  'DELETE /api/dead-letters/:name/:id': { summary: 'removes a dead letter' },
  'POST /api/dead-letters/:name/:id/retry': {
    summary: 'stores the document of a dead letter',
    body: Retry,
  },
}
