import { Promoted, Stopped } from './experiment-requests.ts'
import type { RouteDocs } from '@amodal/plugin-http/tokens'

const UNKNOWN = ['EXPERIMENT_NOT_FOUND'] as const

/** What `GET /openapi.json` says of these routes. */
export const ROUTE_DOCS: RouteDocs = {
  'GET /api/experiments': { summary: 'lists experiments, and what was decided about them' },
  'GET /api/experiments/:name': {
    summary: 'one experiment with the figures of its variants and the verdict',
    errors: UNKNOWN,
  },
  'POST /api/experiments/:name/promote': {
    summary: 'ends an experiment: everybody gets one of its variants',
    body: Promoted,
    errors: UNKNOWN,
  },
  'POST /api/experiments/:name/stop': {
    summary: 'ends an experiment: new sessions get the agent as it is',
    body: Stopped,
    errors: UNKNOWN,
  },
}
