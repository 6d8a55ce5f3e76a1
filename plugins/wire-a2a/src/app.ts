import type { AgentBundle, RouteContext, RouteHandler } from '@amodal/sdk'
import { crashed, describeRoutes, endpoint, failed, readJson } from '@amodal/plugin-http/tokens'
import { Hono, type Context } from 'hono'
import { z } from 'zod'
import { a2aError, httpError } from './a2a-error.ts'
import { agentCard, A2A_PATH } from './agent-card.ts'
import { jsonRpc } from './json-rpc.ts'
import type { Given, Operations } from './operations.ts'
import { versionProblem } from './version.ts'
import { ROUTE_DOCS } from './route-docs.ts'

export const CARD_PATH = '/.well-known/agent-card.json'

export interface AppParts {
  readonly operations: Operations
  readonly bundle: () => AgentBundle | undefined
  readonly secured: () => boolean
  readonly pushes: boolean
}

/** The public card: what anybody may know. */
export const cardRoute = (parts: AppParts): RouteHandler =>
  describeRoutes(
    {
      fetch: (request) =>
        request.method === 'GET' || request.method === 'HEAD'
          ? Response.json(cardOf(parts, request, false), {
              headers: { 'cache-control': 'max-age=60' },
            })
          : httpError(a2aError('METHOD_NOT_FOUND', 'GET is offered here')),
    },
    {
      'GET /.well-known/agent-card.json': {
        summary: 'the agent card of A2A',
        responses: { 200: { about: 'The card.', body: z.looseObject({ name: z.string() }) } },
      },
    },
  )

const cardOf = ({ bundle, secured, pushes }: AppParts, request: Request, extended: boolean) =>
  agentCard({
    bundle: bundle(),
    origin: new URL(request.url).origin,
    secured: secured(),
    pushes,
    extended,
  })

type Env = { Bindings: RouteContext }

/** Both bindings: JSON-RPC at `/a2a`, HTTP+JSON below `/a2a/v1`. */
export function createRoutes(parts: AppParts): RouteHandler {
  const { operations } = parts
  const app = new Hono<Env>()
  describeRoutes(app, ROUTE_DOCS)
  endpoint(app, A2A_PATH, {
    POST: ({ req, env }) => jsonRpc(req.raw, env, operations, () => cardOf(parts, req.raw, true)),
  })

  const run = (name: string, paramsOf: ParamsOf) => (c: Context<Env>) =>
    overHttp(c, operations, name, paramsOf)
  const v1 = `${A2A_PATH}/v1`
  endpoint(app, `${v1}/message:send`, { POST: run('SendMessage', bodyOf) })
  endpoint(app, `${v1}/message:stream`, { POST: run('SendStreamingMessage', bodyOf) })
  endpoint(app, `${v1}/tasks`, { GET: run('ListTasks', queryOf) })
  endpoint(app, `${v1}/extendedAgentCard`, {
    GET: ({ req }) => Response.json(cardOf(parts, req.raw, true)),
  })
  const configs = `${v1}/tasks/:taskId/pushNotificationConfigs`
  endpoint(app, configs, {
    GET: run('ListTaskPushNotificationConfigs', pathOf),
    POST: run('CreateTaskPushNotificationConfig', async (c) => ({
      ...(await recordOf(c)),
      taskId: c.req.param('taskId'),
    })),
  })
  endpoint(app, `${configs}/:id`, {
    GET: run('GetTaskPushNotificationConfig', pathOf),
    DELETE: run('DeleteTaskPushNotificationConfig', pathOf),
  })
  // What is done with a task stands behind a colon in its last segment.
  endpoint(app, `${v1}/tasks/:task`, {
    GET: (c) => ofTask(c, { '': 'GetTask', subscribe: 'SubscribeToTask' }, operations),
    POST: (c) => ofTask(c, { cancel: 'CancelTask', subscribe: 'SubscribeToTask' }, operations),
  })

  app.notFound(() => httpError(a2aError('METHOD_NOT_FOUND', 'there is nothing at this path')))
  app.onError(crashed)
  return app
}

type ParamsOf = (c: Context<Env>) => unknown

const pathOf: ParamsOf = (c) => c.req.param()
const queryOf: ParamsOf = (c) => c.req.query()
const bodyOf: ParamsOf = (c) => recordOf(c)

/** A body that is an object; anything else is found wanting where it is checked. */
async function recordOf(c: Context<Env>): Promise<Readonly<Record<string, unknown>>> {
  const body = await readJson(c.req.raw, z.record(z.string(), z.unknown()))
  return body.ok ? body.value : {}
}

function ofTask(
  c: Context<Env>,
  verbs: Readonly<Record<string, string>>,
  operations: Operations,
): Response | Promise<Response> {
  const segment = c.req.param('task') ?? ''
  const colon = segment.lastIndexOf(':')
  const isVerb = colon !== -1 && segment.slice(colon + 1) in verbs
  const name = verbs[isVerb ? segment.slice(colon + 1) : '']
  if (name === undefined)
    return httpError(a2aError('METHOD_NOT_FOUND', 'that cannot be done with a task'))
  const id = isVerb ? segment.slice(0, colon) : segment
  return overHttp(c, operations, name, () => ({ ...c.req.query(), id }))
}

async function overHttp(
  c: Context<Env>,
  operations: Operations,
  name: string,
  paramsOf: ParamsOf,
): Promise<Response> {
  const unsupported = versionProblem(c.req.raw)
  if (unsupported) return httpError(unsupported)
  const caller = c.env.caller()
  if (!caller.ok) return failed(caller.error)
  const given = await operations.run(name, {
    caller: caller.value,
    params: await paramsOf(c),
    signal: c.env.signal,
    wrap: (event) => event,
  })
  return given.ok ? respond(given.value) : httpError(given.error)
}

function respond(given: Given): Response {
  if (given instanceof Response) return given
  return given === undefined ? new Response(null, { status: 204 }) : Response.json(given)
}
