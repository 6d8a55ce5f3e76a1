import {
  failure,
  type Agent,
  type RequestLimiter,
  type RouteContext,
  type RouteHandler,
} from '@amodal/sdk'
import { crashed, describeRoutes, endpoint, failed } from '@amodal/plugin-http/tokens'
import { Hono } from 'hono'
import type { MessageLimits } from './run-input.ts'
import { Runs } from './runs.ts'
import { ROUTE_DOCS } from './route-docs.ts'

export const PREFIX = '/ag-ui'

export function createRoutes(
  agent: Agent,
  limiter: RequestLimiter | undefined,
  limits: MessageLimits,
): RouteHandler {
  const runs = new Runs(agent, limiter, limits)
  const app = new Hono<{ Bindings: RouteContext }>()
  describeRoutes(app, ROUTE_DOCS)
  endpoint(app, PREFIX, { POST: ({ req, env }) => runs.run(env, req.raw) })
  endpoint(app, `${PREFIX}/:thread/stop`, {
    POST: ({ req, env }) => runs.stop(env, req.param('thread')),
  })
  app.notFound(() => failed(failure('NOT_FOUND', 'there is nothing at this path')))
  app.onError(crashed)
  return app
}
