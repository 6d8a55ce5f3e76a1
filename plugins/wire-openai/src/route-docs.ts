import { z } from 'zod'
import type { RouteDoc, RouteDocs } from '@amodal/plugin-http/tokens'

const text = z.string()
/** @see https://platform.openai.com/docs/guides/error-codes */
const OPENAI_ERROR = {
  about: 'An error as the clients of OpenAI read it.',
  body: z.object({
    error: z.object({ message: text, type: text, param: text.nullable(), code: text }),
  }),
}
const described = (summary: string): RouteDoc => ({ summary, errorForm: OPENAI_ERROR })

/** What `GET /openapi.json` says of these routes. */
export const ROUTE_DOCS: RouteDocs = {
  'POST /v1/chat/completions': described('a chat completion, for OpenAI clients'),
  'POST /v1/conversations': described('creates a session, for OpenAI clients'),
  'GET /v1/conversations/:id': described('a session as a conversation'),
  'POST /v1/conversations/:id': described('changes its metadata'),
  'DELETE /v1/conversations/:id': described('removes a session'),
  'GET /v1/conversations/:id/items': described('the messages of a session'),
  'GET /v1/models': described('the agent as the one model'),
  'GET /v1/models/:id': described('the same by its name'),
  'POST /v1/responses': described('creates a response, for OpenAI clients'),
  'GET /v1/responses/:id': described('a response, or its stream after an event'),
  'DELETE /v1/responses/:id': described('removes a response with its session'),
  'POST /v1/responses/:id/cancel': described('stops the run of a response'),
  'GET /v1/responses/:id/input_items': described('the message that a response answers'),
}
