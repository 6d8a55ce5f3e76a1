import {
  failure,
  type Agent,
  type RequestLimiter,
  type RouteContext,
  type RouteHandler,
} from '@amodal/sdk'
import { crashed, describeRoutes, endpoint, failed } from '@amodal/plugin-http/tokens'
import { Hono } from 'hono'
import type { MessageLimits } from './user-message.ts'
import { Chats } from './chats.ts'
import { ROUTE_DOCS } from './route-docs.ts'

export const PREFIX = '/chat/ai-stream'

export function createRoutes(
  agent: Agent,
  limiter: RequestLimiter | undefined,
  limits: MessageLimits,
): RouteHandler {
  const chats = new Chats(agent, limiter, limits)
  const app = new Hono<{ Bindings: RouteContext }>()
  describeRoutes(app, ROUTE_DOCS)
  endpoint(app, PREFIX, { POST: ({ req, env }) => chats.post(env, req.raw) })
  endpoint(app, `${PREFIX}/:id`, { GET: ({ req, env }) => chats.messages(env, req.param('id')) })
  endpoint(app, `${PREFIX}/:id/stream`, {
    GET: ({ req, env }) => chats.resume(env, req.param('id')),
  })
  endpoint(app, `${PREFIX}/:id/stop`, { POST: ({ req, env }) => chats.stop(env, req.param('id')) })
  app.notFound(() => failed(failure('NOT_FOUND', 'there is nothing at this path')))
  app.onError(crashed)
  return app
}
