import {
  err,
  failure,
  tryAsync,
  type Caller,
  type Failure,
  type Result,
  type RouteContext,
  type RouteHandler,
} from '@amodal/sdk'
import {
  crashed,
  describeRoutes,
  endpoint,
  failed,
  readJson,
  unreadBody,
} from '@amodal/plugin-http/tokens'
import { Hono } from 'hono'
import type { DeployService } from './deploy-service.ts'
import { ROUTE_DOCS } from './route-docs.ts'
import { deploymentShown, pointerShown, Promoted, RolledBack, statusShown } from './route-shapes.ts'

export const PREFIX = '/api/deployments'

/** `/api/deployments`. */
export function deploymentRoutes(service: DeployService): RouteHandler {
  const app = new Hono<{ Bindings: RouteContext }>()
  describeRoutes(app, ROUTE_DOCS)
  endpoint(app, PREFIX, {
    GET: ({ env }) =>
      as(env, async () =>
        json(await service.list(), (found) => ({ deployments: found.map(deploymentShown) })),
      ),
    POST: ({ env, req }) => deciding(env, (caller) => push(service, req.raw, caller)),
  })
  endpoint(app, `${PREFIX}/status`, {
    GET: ({ env }) => as(env, async () => json(await service.status(), statusShown)),
  })
  endpoint(app, `${PREFIX}/promote`, {
    POST: ({ env, req }) =>
      deciding(env, async ({ principal }) => {
        const body = await readJson(req.raw, Promoted)
        if (!body.ok) return failed(body.error)
        const { id, percent } = body.value
        return json(await service.promote(id, percent, principal), pointerShown)
      }),
  })
  endpoint(app, `${PREFIX}/rollback`, {
    POST: ({ env, req }) =>
      deciding(env, async ({ principal }) => {
        const body = await readJson(req.raw, RolledBack)
        if (!body.ok) return failed(body.error)
        return json(await service.rollBack(body.value.id, principal), pointerShown)
      }),
  })
  app.notFound(() => failed(failure('NOT_FOUND', 'there is nothing at this path')))
  app.onError(crashed)
  return app
}

async function push(
  service: DeployService,
  request: Request,
  { principal }: Caller,
): Promise<Response> {
  const body = await tryAsync(() => request.arrayBuffer(), unreadBody)
  if (!body.ok) return failed(body.error)
  const pushed = await service.push(new Uint8Array(body.value), principal)
  if (!pushed.ok) return failed(pushed.error)
  return Response.json(pushed.value, { status: pushed.value.added ? 201 : 200 })
}

/** An agent has one set of files for all tenants, so that a credential of one tenant is refused. */
function callerOf(context: RouteContext): Result<Caller, Failure> {
  if (context.identity?.tenant !== undefined)
    return err(
      failure('FORBIDDEN_SCOPE', 'deployments concern all tenants, and this credential is of one'),
    )
  return context.caller()
}

const as = (
  context: RouteContext,
  work: (caller: Caller) => Promise<Response>,
): Promise<Response> => {
  const caller = callerOf(context)
  return caller.ok ? work(caller.value) : Promise.resolve(failed(caller.error))
}

/** Not for a program on this machine that cannot read the server's files. */
const deciding = (
  context: RouteContext,
  work: (caller: Caller) => Promise<Response>,
): Promise<Response> => {
  const reason = context.identity?.mayNotDecide
  return reason === undefined
    ? as(context, work)
    : Promise.resolve(failed(failure('UNAUTHENTICATED', reason)))
}

const json = <T>(result: Result<T, Failure>, shape: (value: T) => object): Response =>
  result.ok ? Response.json(shape(result.value)) : failed(result.error)
