import {
  failure,
  type Caller,
  type Failure,
  type Result,
  type RouteContext,
  type RouteHandler,
} from '@amodal/sdk'
import { crashed, describeRoutes, endpoint, failed, readJson } from '@amodal/plugin-http/tokens'
import { Hono } from 'hono'
import type { ExperimentService } from './service.ts'
import { experimentShown, judgedShown } from './shown.ts'
import { ROUTE_DOCS } from './route-docs.ts'
import { Promoted, Stopped } from './experiment-requests.ts'

export const PREFIX = '/api/experiments'

/** `/api/experiments`. */
export function experimentRoutes(service: ExperimentService): RouteHandler {
  const app = new Hono<{ Bindings: RouteContext }>()
  describeRoutes(app, ROUTE_DOCS)
  endpoint(app, PREFIX, {
    GET: ({ env }) =>
      as(env, async (caller) =>
        json(await service.list(caller, env.signal), (found) => ({
          experiments: found.map(experimentShown),
        })),
      ),
  })
  endpoint(app, `${PREFIX}/:name`, {
    GET: ({ env, req }) =>
      as(env, async (caller) =>
        json(await service.find(caller, req.param('name'), env.signal), judgedShown),
      ),
  })
  endpoint(app, `${PREFIX}/:name/stop`, {
    POST: ({ env, req }) =>
      as(env, async (caller) => {
        const body = await readJson(req.raw, Stopped)
        if (!body.ok) return failed(body.error)
        const stopped = await service.stop(caller, req.param('name'), env.signal)
        return json(stopped, ({ experiment }) => ({ experiment, status: 'stopped' }))
      }),
  })
  endpoint(app, `${PREFIX}/:name/promote`, {
    POST: ({ env, req }) =>
      as(env, async (caller) => {
        const body = await readJson(req.raw, Promoted)
        if (!body.ok) return failed(body.error)
        const { variant } = body.value
        const promoted = await service.promote(caller, req.param('name'), variant, env.signal)
        return json(promoted, (promotion) => ({ ...promotion, status: 'promoted' }))
      }),
  })
  app.notFound(() => failed(failure('NOT_FOUND', 'there is nothing at this path')))
  app.onError(crashed)
  return app
}

async function as(
  context: RouteContext,
  work: (caller: Caller) => Promise<Response>,
): Promise<Response> {
  const caller = context.caller()
  return caller.ok ? work(caller.value) : failed(caller.error)
}

const json = <T>(result: Result<T, Failure>, shape: (value: T) => object): Response =>
  result.ok ? Response.json(shape(result.value)) : failed(result.error)
