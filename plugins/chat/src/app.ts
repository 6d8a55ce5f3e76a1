import { failure, type Agent, type RouteContext, type RouteHandler } from '@amodal/sdk'
import { crashed, endpoint, failed } from '@amodal/plugin-http/tokens'
import { Hono } from 'hono'
import type { MessageLimits } from './chat-request.ts'
import { identify } from './identify.ts'
import { Sessions } from './sessions.ts'
import { Turns } from './turns.ts'

/** Where the routes below are mounted. */
export const PREFIXES = ['/chat', '/api/v1/chat', '/ai/stream', '/sessions', '/session', '/ask-user-response'] as const

export function createRoutes(agent: Agent, limits: MessageLimits): RouteHandler {
  const face = (request: Request) => agent.as(identify(request))
  const turns = new Turns(face, limits)
  const sessions = new Sessions(face, () => agent.bundle()?.manifest.name ?? 'agent')

  const app = new Hono<{ Bindings: RouteContext }>()
  endpoint(app, '/chat', { POST: ({ req, env }) => turns.either(req.raw, env.signal) })
  endpoint(app, '/chat/sync', { POST: ({ req, env }) => turns.sync(req.raw, env.signal) })
  for (const path of ['/chat/stream', '/api/v1/chat', '/ai/stream'] as const) endpoint(app, path, { POST: ({ req }) => turns.stream(req.raw) })
  endpoint(app, '/chat/stream/:id', { GET: ({ req }) => turns.follow(req.raw, req.param('id')) })

  endpoint(app, '/sessions', { GET: ({ req }) => sessions.list(req.raw, req.query()) })
  endpoint(app, '/sessions/history', { GET: ({ req }) => sessions.history(req.raw) })
  for (const path of ['/sessions/:id', '/session/:id', '/sessions/history/:id'] as const) {
    endpoint(app, path, {
      GET: ({ req }) => sessions.one(req.raw, req.param('id')),
      PUT: ({ req }) => sessions.update(req.raw, req.param('id')),
      PATCH: ({ req }) => sessions.update(req.raw, req.param('id')),
      DELETE: ({ req }) => sessions.remove(req.raw, req.param('id')),
    })
  }
  endpoint(app, '/sessions/:id/cancel', { POST: ({ req }) => sessions.cancel(req.raw, req.param('id')) })
  endpoint(app, '/sessions/:id/clear', { POST: ({ req }) => sessions.clear(req.raw, req.param('id')) })
  endpoint(app, '/sessions/:id/fork', { POST: ({ req }) => sessions.fork(req.raw, req.param('id')) })

  endpoint(app, '/ask-user-response', { POST: ({ req }) => sessions.answer(req.raw) })
  endpoint(app, '/chat/sessions/:id/ask-user-response', { POST: ({ req }) => sessions.answer(req.raw, req.param('id')) })

  app.notFound(() => failed(failure('NOT_FOUND', 'there is nothing at this path')))
  app.onError(crashed)
  return app
}
