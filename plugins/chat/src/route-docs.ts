import type { ResponseDoc, RouteDoc, RouteDocs } from '@amodal/plugin-http/tokens'
import { z } from 'zod'
import { answerRequest } from './answer-request.ts'
import { chatRequest, taskRequest, type MessageLimits } from './chat-request.ts'
import * as answers from './session-answers.ts'
import { begun, change, page, place, settlement } from './sessions.ts'
import { widgetAction } from './widget-action.ts'

const KEY = { 'Idempotency-Key': 'Requests with the same key are one message.' }
const RESUME = { 'Last-Event-ID': 'The last frame that the client has received.' }
const FORMS = z.object({ events: z.enum(['all', 'legacy']).optional() })
const EVENTS: ResponseDoc = { about: 'Events of the turn.', events: 'conversation' }
const WAITS: ResponseDoc = { about: 'The turn waits for a person.', body: answers.Turn }
const ENDED: ResponseDoc = { about: 'The turn has ended.', body: answers.Turn }
const MESSAGE_ERRORS = [
  'SESSION_NOT_FOUND',
  'SESSION_EXPIRED',
  'QUEUE_FULL',
  'MESSAGE_CONFLICT',
  'ASSET_NOT_FOUND',
  'ASSET_UNSUPPORTED',
  'NO_MODEL',
  'STORE_FAILED',
  'SCOPE_REQUIRED',
] as const
const TURN_ERRORS = [
  ...MESSAGE_ERRORS,
  'MODEL_FAILED',
  'MODEL_TIMEOUT',
  'MODEL_FILTERED',
  'MODEL_MALFORMED',
  'CONTEXT_OVERFLOW',
  'RESPONSE_MISMATCH',
] as const

/** What `GET /openapi.json` says of messages, tasks and their streams. */
export function messageDocs(limits: MessageLimits): RouteDocs {
  const body = chatRequest(limits)
  const message = { body, headers: KEY, query: FORMS, errors: MESSAGE_ERRORS }
  const stream: Omit<RouteDoc, 'summary'> = { ...message, responses: { 200: EVENTS } }
  const either: Omit<RouteDoc, 'summary'> = {
    ...message,
    responses: { 200: { ...ENDED, events: 'conversation' }, 202: WAITS },
    errors: TURN_ERRORS,
  }
  return {
    'POST /chat': {
      summary: 'sends a message; events, or JSON where that is asked for',
      ...either,
    },
    'POST /chat/sync': {
      summary: 'sends a message, and answers with JSON at the end of the turn',
      ...message,
      responses: { 200: ENDED, 202: WAITS },
      errors: TURN_ERRORS,
    },
    'POST /chat/stream': {
      summary: 'sends a message, and answers with events as they happen',
      ...stream,
    },
    'POST /api/v1/chat': { summary: 'the same as `POST /chat/stream`', ...stream },
    'POST /ai/stream': { summary: 'the same as `POST /chat/stream`', ...stream },
    'GET /ai/stream': {
      summary: "sends a message from a browser's `EventSource`",
      headers: { ...KEY, ...RESUME },
      query: FORMS.extend({
        message: z.string().optional(),
        session_id: z.string().optional(),
        sessionId: z.string().optional(),
        key: z.string().optional(),
      }),
      responses: { 200: EVENTS, 204: { about: 'There is nothing to resume.' } },
      errors: [...MESSAGE_ERRORS, 'FORBIDDEN_ORIGIN'],
    },
    'GET /chat/stream/:id': {
      summary: 'resumes the stream of a session',
      headers: { ...KEY, ...RESUME },
      query: FORMS,
      responses: { 200: EVENTS, 204: { about: 'There is nothing to resume.' } },
      errors: ['SESSION_NOT_FOUND'],
    },
    'POST /widget-actions': {
      summary: 'sends what was clicked in a widget',
      ...either,
      body: widgetAction,
    },
    'POST /task': {
      summary: 'begins a task in the background',
      headers: KEY,
      body: taskRequest(limits),
      responses: { 202: { about: 'The task is stored.', body: answers.TaskBegun } },
      errors: MESSAGE_ERRORS,
    },
    'GET /task/:id': {
      summary: 'how a task fares',
      responses: { 200: { about: 'The task.', body: answers.Task } },
      errors: ['SESSION_NOT_FOUND'],
    },
    'GET /task/:id/stream': {
      summary: 'all events of a task, from the first one on',
      headers: RESUME,
      responses: { 200: EVENTS },
      errors: ['SESSION_NOT_FOUND'],
    },
  }
}

const DONE: ResponseDoc = { about: 'It is done.', body: answers.Done }
const SUMMARY: ResponseDoc = { about: 'The session.', body: answers.SessionSummary }
const UNKNOWN = ['SESSION_NOT_FOUND'] as const
const GET: RouteDoc = {
  summary: 'one session with its messages and what it waits for',
  responses: { 200: { about: 'The session.', body: answers.SessionDetails } },
  errors: UNKNOWN,
}
const UPDATE: RouteDoc = {
  summary: 'changes title, tags or metadata',
  body: change,
  responses: { 200: { about: 'The session.', body: answers.SessionUpdated } },
  errors: UNKNOWN,
}
const REMOVE: RouteDoc = {
  summary: 'removes a session',
  responses: { 200: DONE },
  errors: UNKNOWN,
}
const ANSWER: Omit<RouteDoc, 'summary'> = {
  body: answerRequest,
  responses: { 200: { about: 'The answers count.', body: answers.Settled } },
  errors: ['SESSION_NOT_FOUND', 'ASK_NOT_FOUND', 'ASK_SETTLED', 'ASK_EXPIRED', 'ANSWER_INVALID'],
}
const sameAs = (doc: RouteDoc, name: string): RouteDoc => ({
  ...doc,
  summary: `the same as \`${name}\``,
})

/** What `GET /openapi.json` says of sessions. */
export const SESSION_DOCS: RouteDocs = {
  'GET /sessions': {
    summary: 'lists sessions',
    query: page,
    responses: { 200: { about: 'The newest first.', body: answers.SessionList } },
  },
  'POST /sessions': {
    summary: 'makes a session without a message',
    headers: KEY,
    body: begun,
    responses: { 201: SUMMARY },
  },
  'GET /sessions/history': {
    summary: 'the newest 500 sessions as a plain list, for older clients',
    responses: { 200: { about: 'The sessions.', body: z.array(answers.SessionSummary) } },
  },
  'GET /api/stats': {
    summary: 'sessions, tokens and cost of the tenant',
    responses: { 200: { about: 'The sums.', body: answers.Stats } },
  },
  'GET /sessions/:id': GET,
  'PUT /sessions/:id': UPDATE,
  'PATCH /sessions/:id': UPDATE,
  'DELETE /sessions/:id': REMOVE,
  'GET /session/:id': sameAs(GET, 'GET /sessions/:id'),
  'PUT /session/:id': sameAs(UPDATE, 'PUT /sessions/:id'),
  'PATCH /session/:id': sameAs(UPDATE, 'PATCH /sessions/:id'),
  'DELETE /session/:id': sameAs(REMOVE, 'DELETE /sessions/:id'),
  'GET /sessions/history/:id': sameAs(GET, 'GET /sessions/:id'),
  'PUT /sessions/history/:id': sameAs(UPDATE, 'PUT /sessions/:id'),
  'PATCH /sessions/history/:id': sameAs(UPDATE, 'PATCH /sessions/:id'),
  'DELETE /sessions/history/:id': sameAs(REMOVE, 'DELETE /sessions/:id'),
  'POST /sessions/:id/cancel': {
    summary: 'ends the run in progress',
    responses: { 200: { about: 'Whether one was in progress.', body: answers.Cancelled } },
    errors: UNKNOWN,
  },
  'POST /sessions/:id/clear': {
    summary: 'lets the model forget the conversation so far',
    responses: { 200: DONE },
    errors: ['SESSION_NOT_FOUND', 'RUN_ACTIVE'],
  },
  'POST /sessions/:id/retry': {
    summary: 'continues a session that was set aside',
    responses: { 200: DONE },
    errors: ['SESSION_NOT_FOUND', 'NOT_SET_ASIDE'],
  },
  'POST /sessions/:id/calls/:call/outcome': {
    summary: 'settles an effect of unknown outcome',
    body: settlement,
    responses: { 200: { about: 'It is settled.', body: answers.Settled } },
    errors: ['SESSION_NOT_FOUND', 'ASK_SETTLED', 'NOT_RETRYABLE'],
  },
  'POST /sessions/:id/fork': {
    summary: 'makes a session with the history of this one',
    body: place,
    responses: { 201: SUMMARY },
    errors: UNKNOWN,
  },
  'POST /ask-user-response': {
    summary: 'answers a question; the body names the session',
    ...ANSWER,
  },
  'POST /chat/sessions/:id/ask-user-response': {
    summary: 'answers a question of this session',
    ...ANSWER,
  },
}
