import type { RouteDocs } from '@amodal/plugin-http/tokens'

/** What `GET /openapi.json` says of these routes. */
export const ROUTE_DOCS: RouteDocs = {
  'GET /api/usage': { summary: 'what runs cost: sums by time and by group' },
  'GET /api/usage/budgets': { summary: 'the budgets of the agent, and what is spent of them' },
  'GET /api/usage/export': { summary: 'the runs and what they cost as a file: JSON lines or CSV' },
}
