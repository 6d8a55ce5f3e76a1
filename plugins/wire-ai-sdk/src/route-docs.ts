import { chatRequest } from './chat-request.ts'
import type { RouteDocs } from '@amodal/plugin-http/tokens'

/** What `GET /openapi.json` says of these routes. */
export const ROUTE_DOCS: RouteDocs = {
  'POST /chat/ai-stream': {
    summary: 'a message or answers of `useChat`, with a UI message stream',
    body: chatRequest,
    responses: { 200: { about: 'A stream of its events.', types: ['text/event-stream'] } },
  },
  'GET /chat/ai-stream/:id': { summary: 'a chat of `useChat` as its messages' },
  'POST /chat/ai-stream/:id/stop': { summary: 'ends the run in progress of a chat' },
  'GET /chat/ai-stream/:id/stream': { summary: 'resumes the UI message stream of a chat' },
}
