import {
  failure,
  type Agent,
  type Code,
  type RequestLimiter,
  type RouteContext,
  type RouteHandler,
} from '@amodal/sdk'
import { crashed, describeRoutes, endpoint, failed } from '@amodal/plugin-http/tokens'
import type { ResponseFormats } from '@amodal/plugin-structured-output/tokens'
import { Hono } from 'hono'
import type { MessageLimits } from './chat-request.ts'
import { Sessions } from './sessions.ts'
import { Tasks } from './tasks.ts'
import { Turns } from './turns.ts'
import { callerClientsOf } from './caller-client.ts'
import { messageDocs, SESSION_DOCS } from './route-docs.ts'

/** Prefixes of the routes below, and the scope that a credential needs for them. */
export const PREFIXES = {
  '/chat': 'chat',
  '/api/v1/chat': 'chat',
  '/ai/stream': 'chat',
  '/ask-user-response': 'chat',
  '/widget-actions': 'chat',
  '/task': 'chat',
  '/sessions': 'sessions',
  '/session': 'sessions',
  '/api/stats': 'sessions',
} as const

/** What the routes use; what is optional may be missing in a plan. */
export interface ChatServices {
  readonly agent: Agent
  readonly limiter?: RequestLimiter | undefined
  readonly formats?: ResponseFormats | undefined
}

export function createRoutes(
  { agent, limiter, formats }: ChatServices,
  limits: MessageLimits,
  statusOf: (code: Code) => number,
): { readonly routes: RouteHandler; readonly turns: Turns } {
  const callerClients = callerClientsOf(agent)
  const turns = new Turns({ callerClients, limiter, formats }, limits, statusOf)
  const tasks = new Tasks(callerClients, limiter, limits)
  const sessions = new Sessions(callerClients, () => agent.bundle()?.manifest.name ?? 'agent')

  const app = new Hono<{ Bindings: RouteContext }>()
  describeRoutes(app, { ...messageDocs(limits), ...SESSION_DOCS })
  endpoint(app, '/chat', { POST: ({ req, env }) => turns.streamOrSync(env, req.raw) })
  endpoint(app, '/chat/sync', { POST: ({ req, env }) => turns.sync(env, req.raw) })
  for (const path of ['/chat/stream', '/api/v1/chat'] as const)
    endpoint(app, path, { POST: ({ req, env }) => turns.stream(env, req.raw) })
  endpoint(app, '/ai/stream', {
    POST: ({ req, env }) => turns.stream(env, req.raw),
    GET: ({ req, env }) => turns.queryMessage(env, req.raw),
  })
  endpoint(app, '/widget-actions', { POST: ({ req, env }) => turns.widgetClick(env, req.raw) })
  endpoint(app, '/task', { POST: ({ req, env }) => tasks.begin(env, req.raw) })
  endpoint(app, '/task/:id', { GET: ({ req, env }) => tasks.one(env, req.param('id')) })
  endpoint(app, '/task/:id/stream', {
    GET: ({ req, env }) => tasks.stream(env, req.raw, req.param('id')),
  })
  endpoint(app, '/chat/stream/:id', {
    GET: ({ req, env }) => turns.follow(env, req.raw, req.param('id')),
  })

  endpoint(app, '/sessions', {
    GET: ({ req, env }) => sessions.list(env, req.query()),
    POST: ({ req, env }) => sessions.open(env, req.raw),
  })
  endpoint(app, '/api/stats', { GET: ({ env }) => sessions.stats(env) })
  endpoint(app, '/sessions/history', { GET: ({ env }) => sessions.history(env) })
  for (const path of ['/sessions/:id', '/session/:id', '/sessions/history/:id'] as const) {
    endpoint(app, path, {
      GET: ({ req, env }) => sessions.get(env, req.param('id')),
      PUT: ({ req, env }) => sessions.update(env, req.raw, req.param('id')),
      PATCH: ({ req, env }) => sessions.update(env, req.raw, req.param('id')),
      DELETE: ({ req, env }) => sessions.remove(env, req.param('id')),
    })
  }
  endpoint(app, '/sessions/:id/cancel', {
    POST: ({ req, env }) => sessions.cancel(env, req.param('id')),
  })
  endpoint(app, '/sessions/:id/clear', {
    POST: ({ req, env }) => sessions.clear(env, req.param('id')),
  })
  endpoint(app, '/sessions/:id/retry', {
    POST: ({ req, env }) => sessions.retry(env, req.param('id')),
  })
  endpoint(app, '/sessions/:id/calls/:call/outcome', {
    POST: ({ req, env }) => sessions.settle(env, req.raw, req.param('id'), req.param('call')),
  })
  endpoint(app, '/sessions/:id/fork', {
    POST: ({ req, env }) => sessions.fork(env, req.raw, req.param('id')),
  })

  endpoint(app, '/ask-user-response', { POST: ({ req, env }) => sessions.answer(env, req.raw) })
  endpoint(app, '/chat/sessions/:id/ask-user-response', {
    POST: ({ req, env }) => sessions.answer(env, req.raw, req.param('id')),
  })

  app.notFound(() => failed(failure('NOT_FOUND', 'there is nothing at this path')))
  app.onError(crashed)
  return { routes: app, turns }
}
