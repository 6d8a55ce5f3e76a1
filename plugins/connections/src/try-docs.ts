import type { RouteDocs } from '@amodal/plugin-http/tokens'

/** What `GET /openapi.json` says of these routes. */
export const TRY_DOCS: RouteDocs = {
  'POST /api/connections/:name/try': {
    summary: 'calls one operation of a connection as the model would, under the same rules',
  },
}
