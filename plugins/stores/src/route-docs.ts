import type { RouteDocs } from '@amodal/plugin-http/tokens'

/** What `GET /openapi.json` says of these routes. */
export const ROUTE_DOCS: RouteDocs = {
  'GET /api/stores': { summary: 'lists the stores' },
  'GET /api/stores/:name': { summary: 'lists or searches documents of a store' },
  'POST /api/stores/:name': { summary: 'writes a document' },
  'GET /api/stores/:name/:key': { summary: 'one document with its earlier versions' },
  'DELETE /api/stores/:name/:key': { summary: 'removes a document with its earlier versions' },
}
