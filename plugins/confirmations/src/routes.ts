import { failure, sessionId, type Agent, type RouteContext, type RouteHandler } from '@amodal/sdk'
import { REVOKE_GRANT } from '@amodal/sdk/loop'
import { crashed, describeRoutes, endpoint, failed } from '@amodal/plugin-http/tokens'
import { Hono } from 'hono'
import { ROUTE_DOCS } from './route-docs.ts'

/** A grant of a conversation. The list of them is part of `GET /sessions/:id`. */
export const ROUTE = '/sessions/:id/grants/:grant'

export function createRoutes(agent: Agent): RouteHandler {
  const app = new Hono<{ Bindings: RouteContext }>()
  describeRoutes(app, ROUTE_DOCS)
  endpoint(app, ROUTE, {
    DELETE: async ({ req, env }) => {
      const caller = env.caller()
      if (!caller.ok) return failed(caller.error)
      const revoked = await agent
        .as(caller.value)
        .change(sessionId(req.param('id')), REVOKE_GRANT, { grant: req.param('grant') }, env.signal)
      return revoked.ok ? Response.json(revoked.value) : failed(revoked.error)
    },
  })
  app.notFound(() => failed(failure('NOT_FOUND', 'there is nothing at this path')))
  app.onError(crashed)
  return app
}
