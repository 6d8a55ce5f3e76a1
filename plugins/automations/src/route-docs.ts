import type { RouteDocs } from '@amodal/plugin-http/tokens'

/** What `GET /openapi.json` says of these routes. */
export const ROUTE_DOCS: RouteDocs = {
  'GET /automations': { summary: 'lists automations, with their state and their next run' },
  'POST /automations/:name/backfill': { summary: 'makes runs of earlier due times that have none' },
  'GET /automations/:name/deliveries': {
    summary: 'lists what was sent of results, and dead letters',
  },
  'GET /automations/:name/deliveries/:id': { summary: 'each attempt at a delivery' },
  'GET /automations/:name/preview': { summary: 'the next due times of a schedule' },
  'POST /automations/:name/redrive': { summary: 'sends dead letters again' },
  'POST /automations/:name/run': { summary: 'runs an automation now, and answers with the result' },
  'GET /automations/:name/runs': { summary: 'lists runs of an automation, the newest first' },
  'POST /automations/:name/start': { summary: 'resumes an automation' },
  'POST /automations/:name/stop': {
    summary: 'pauses an automation: no run begins until it is resumed',
  },
  'POST /automations/:name/stream': {
    summary: 'runs an automation now, and answers with its events',
  },
}
