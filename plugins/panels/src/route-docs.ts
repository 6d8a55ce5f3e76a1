import { newMember, question } from './panel-requests.ts'
import type { RouteDocs } from '@amodal/plugin-http/tokens'

/** What `GET /openapi.json` says of these routes. */
export const ROUTE_DOCS: RouteDocs = {
  'GET /panels': { summary: 'the panels that agents can be made for' },
  'GET /panels/:panel': { summary: 'a panel with its members' },
  'POST /panels/:panel/ask': {
    summary: 'asks the members of a panel, together or one after another',
    body: question,
  },
  'POST /panels/:panel/members': {
    summary: 'makes a member from the template of a panel',
    body: newMember,
    responses: { 201: { about: 'It is made.' } },
  },
  'GET /panels/:panel/members/:id': { summary: 'one member of a panel' },
  'DELETE /panels/:panel/members/:id': {
    summary: 'removes a member with its conversation and state',
  },
}
