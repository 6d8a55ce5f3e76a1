import { jsonValue } from '@amodal/sdk/data'
import { z } from 'zod'
import { changesShape } from './state-requests.ts'
import type { RouteDocs } from '@amodal/plugin-http/tokens'

const State = z.object({
  version: z.string(),
  state: z.record(z.string(), jsonValue),
  status: jsonValue.optional(),
})

/** What `GET /openapi.json` says of these routes. */
export const ROUTE_DOCS: RouteDocs = {
  'GET /sessions/:id/state': {
    summary: 'the live state as the caller may see it, with its version',
    headers: { 'If-None-Match': 'The version that the client has.' },
    responses: { 200: { about: 'The state.', body: State }, 304: { about: 'It has not changed.' } },
    errors: ['SESSION_NOT_FOUND'],
  },
  'PATCH /sessions/:id/state': {
    summary: 'changes fields of the live state, for a version',
    body: changesShape,
    headers: { 'If-Match': 'The version that is changed, or `*`.' },
    responses: { 200: { about: 'It is changed.', body: z.looseObject({ version: z.string() }) } },
    errors: ['SESSION_NOT_FOUND', 'STATE_VERSION_REQUIRED', 'STATE_CONFLICT', 'STATE_REFUSED'],
  },
  'GET /sessions/:id/state/stream': {
    summary: 'the live state as it changes, as JSON Patch',
    query: z.object({ from: z.string().optional() }),
    headers: { 'Last-Event-ID': 'The last version that the client has.' },
    responses: {
      200: {
        about: 'The state as it changes: `state_snapshot` and `state_delta`.',
        events: 'conversation',
      },
    },
    errors: ['SESSION_NOT_FOUND'],
  },
}
