import type { RouteDocs } from '@amodal/plugin-http/tokens'

/** What `GET /openapi.json` says of these routes. */
export const ROUTE_DOCS: RouteDocs = {
  'POST /assets': { summary: 'uploads files for messages: the body, or a form with several' },
  'GET /assets/:id': { summary: 'an uploaded file, to save' },
  'DELETE /assets/:id': { summary: 'deletes an uploaded file of the caller' },
}
