import type { RouteDocs } from '@amodal/plugin-http/tokens'

/** What `GET /openapi.json` says of these routes. */
export const ROUTE_DOCS: RouteDocs = {
  'POST /v1/chat/completions': { summary: 'a chat completion, for OpenAI clients' },
  'POST /v1/conversations': { summary: 'makes a session, for OpenAI clients' },
  'GET /v1/conversations/:id': { summary: 'a session as a conversation' },
  'POST /v1/conversations/:id': { summary: 'changes its metadata' },
  'DELETE /v1/conversations/:id': { summary: 'removes a session' },
  'GET /v1/conversations/:id/items': { summary: 'what was said in a session' },
  'GET /v1/models': { summary: 'the agent as the one model' },
  'GET /v1/models/:id': { summary: 'the same by its name' },
  'POST /v1/responses': { summary: 'makes a response, for OpenAI clients' },
  'GET /v1/responses/:id': { summary: 'a response, or its stream behind an event' },
  'DELETE /v1/responses/:id': { summary: 'removes a response with its session' },
  'POST /v1/responses/:id/cancel': { summary: 'stops the run of a response' },
  'GET /v1/responses/:id/input_items': { summary: 'the message that a response answers' },
}
