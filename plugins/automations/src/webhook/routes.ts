import { failure, type RouteContext, type RouteHandler } from '@amodal/sdk'
import { crashed, describeRoutes, endpoint, failed } from '@amodal/plugin-http/tokens'
import { Hono } from 'hono'
import type { WebhookReceiver } from './receiver.ts'
import { WEBHOOK_DOCS } from './webhook-docs.ts'

/** `/webhooks/NAME`. */
export function webhookRoutes(receiver: WebhookReceiver): RouteHandler {
  const app = new Hono<{ Bindings: RouteContext }>()
  describeRoutes(app, WEBHOOK_DOCS)
  endpoint(app, '/webhooks/:name', {
    POST: ({ req, env }) => receiver.receive(req.param('name'), req.raw, env),
  })
  app.notFound(() => failed(failure('NOT_FOUND', 'there is no webhook at this path')))
  app.onError(crashed)
  return app
}
