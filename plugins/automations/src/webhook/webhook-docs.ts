import type { RouteDocs } from '@amodal/plugin-http/tokens'

/** What `GET /openapi.json` says of these routes. */
export const WEBHOOK_DOCS: RouteDocs = {
  'POST /webhooks/:name': { summary: 'takes a signed event, and begins a run' },
}
