import type { RouteDocs } from '@amodal/plugin-http/tokens'

/** What `GET /openapi.json` says of these routes. */
export const ROUTE_DOCS: RouteDocs = {
  'GET /api/platform/v1/agents': { summary: 'lists runs' },
  'GET /api/platform/v1/agents/:id/artifacts': { summary: 'what a run has written' },
  'POST /api/platform/v1/agents/:id/cancel': { summary: 'ends a run' },
  'GET /api/platform/v1/agents/:id/events': { summary: 'what happened in a run, in pages' },
  'POST /api/platform/v1/agents/:id/resume': { summary: 'answers what a run waits for' },
  'GET /api/platform/v1/agents/:id/status': { summary: 'how a run fares, and what came of it' },
  'GET /api/platform/v1/agents/:id/stream': { summary: 'events of a run as they happen' },
  'GET /api/platform/v1/agents/openapi.json': { summary: 'these paths as an OpenAPI document' },
  'GET /api/platform/v1/agents/profiles': { summary: 'the profiles that a run can have' },
  'POST /api/platform/v1/agents/run': { summary: 'starts a run' },
  'GET /api/platform/v1/artifacts/:id': { summary: 'an artifact that a run has made' },
  'POST /api/platform/v1/artifacts/:id/link': {
    summary: 'a link to a version of an artifact, for somebody without a credential',
  },
}
