import { failure, type RouteContext, type RouteHandler } from '@amodal/sdk'
import { crashed, describeRoutes, endpoint } from '@amodal/plugin-http/tokens'
import { Hono } from 'hono'
import { ChatCompletions } from './chat.ts'
import { Conversations } from './conversations.ts'
import { listModels, oneModel } from './models.ts'
import { openAiFailed } from './openai-error.ts'
import { Responses } from './responses.ts'
import type { WireParts } from './requests.ts'
import { ROUTE_DOCS } from './route-docs.ts'

/** Where the routes below are mounted. */
export const PREFIXES = [
  '/v1/chat/completions',
  '/v1/responses',
  '/v1/conversations',
  '/v1/models',
] as const

export function createRoutes(parts: WireParts): RouteHandler {
  const chat = new ChatCompletions(parts)
  const responses = new Responses(parts)
  const conversations = new Conversations(parts)

  const app = new Hono<{ Bindings: RouteContext }>()
  describeRoutes(app, ROUTE_DOCS)
  endpoint(app, '/v1/chat/completions', { POST: ({ req, env }) => chat.create(env, req.raw) })
  endpoint(app, '/v1/responses', { POST: ({ req, env }) => responses.create(env, req.raw) })
  endpoint(app, '/v1/responses/:id', {
    GET: ({ req, env }) => responses.one(env, req.raw, req.param('id')),
    DELETE: ({ req, env }) => responses.remove(env, req.param('id')),
  })
  endpoint(app, '/v1/responses/:id/cancel', {
    POST: ({ req, env }) => responses.cancel(env, req.raw, req.param('id')),
  })
  endpoint(app, '/v1/responses/:id/input_items', {
    GET: ({ req, env }) => responses.inputItems(env, req.query(), req.param('id')),
  })
  endpoint(app, '/v1/conversations', {
    POST: ({ req, env }) => conversations.create(env, req.raw),
  })
  endpoint(app, '/v1/conversations/:id', {
    GET: ({ req, env }) => conversations.one(env, req.param('id')),
    POST: ({ req, env }) => conversations.update(env, req.raw, req.param('id')),
    DELETE: ({ req, env }) => conversations.remove(env, req.param('id')),
  })
  endpoint(app, '/v1/conversations/:id/items', {
    GET: ({ req, env }) => conversations.items(env, req.raw, req.param('id')),
  })
  endpoint(app, '/v1/models', { GET: ({ env }) => listModels(parts, env) })
  endpoint(app, '/v1/models/:id', { GET: ({ req, env }) => oneModel(parts, env, req.param('id')) })

  app.notFound(() => openAiFailed(failure('NOT_FOUND', 'there is nothing at this path')))
  app.onError(crashed)
  return app
}
