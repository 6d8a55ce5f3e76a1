import { runInput } from './run-input.ts'
import type { RouteDocs } from '@amodal/plugin-http/tokens'

/** What `GET /openapi.json` says of these routes. */
export const ROUTE_DOCS: RouteDocs = {
  'POST /ag-ui': {
    summary: 'a run of AG-UI, with its events',
    body: runInput,
    responses: { 200: { about: 'A stream of its events.', types: ['text/event-stream'] } },
  },
  'POST /ag-ui/:thread/stop': { summary: 'ends the run in progress of a thread' },
}
