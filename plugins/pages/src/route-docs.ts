import { Report } from './page-requests.ts'
import type { RouteDocs } from '@amodal/plugin-http/tokens'

/** What `GET /openapi.json` says of these routes. */
export const ROUTE_DOCS: RouteDocs = {
  'GET /api/pages': {
    summary: 'the pages of the agent, with what is wrong with them, and the stores to show',
  },
  'GET /api/pages/:name': { summary: 'one page' },
  'POST /api/pages/:name/errors': {
    summary: 'reports an error of a page; answers with its file and line',
    body: Report,
  },
  'GET /api/pages/:name/stores/:store': { summary: 'documents of a store that the page declares' },
  'GET /api/pages/:name/stores/:store/:key': { summary: 'one document of such a store' },
}
