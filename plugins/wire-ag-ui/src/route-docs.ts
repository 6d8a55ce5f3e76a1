import type { RouteDocs } from '@amodal/plugin-http/tokens'

/** What `GET /openapi.json` says of these routes. */
export const ROUTE_DOCS: RouteDocs = {
  'POST /ag-ui': { summary: 'a run of AG-UI, with its events' },
  'POST /ag-ui/:thread/stop': { summary: 'ends the run in progress of a thread' },
}
