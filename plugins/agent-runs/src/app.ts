import { failure, type Caller, type RouteContext, type RouteHandler } from '@amodal/sdk'
import {
  crashed,
  describeRoutes,
  endpoint,
  failed,
  idempotencyKeyOf,
  problems,
  readJson,
} from '@amodal/plugin-http/tokens'
import { Hono } from 'hono'
import type { z } from 'zod'
import type { ArtifactService } from './artifact-service.ts'
import { NOT_FOUND, type RunReply } from './run-reply.ts'
import {
  ArtifactQuery,
  CancelRequest,
  EventsQuery,
  LinkRequest,
  ListQuery,
  readSession,
  ResumeRequest,
  startRequest,
  StatusQuery,
} from './run-request.ts'
import type { RunService } from './run-service.ts'
import type { RunStreams } from './run-stream.ts'
import { routeDocs } from './route-docs.ts'

/** Where the routes below are mounted, and the scope that a credential needs there. */
export const PREFIXES = {
  '/api/platform/v1/agents': 'agents',
  '/api/platform/v1/artifacts': 'artifacts',
} as const

export interface AppParts {
  readonly service: RunService
  readonly artifactService: ArtifactService
  readonly streams: RunStreams
  readonly maxTaskChars: number
}

/** The REST side of runs and artifacts. */
export function createRoutes({
  service,
  artifactService,
  streams,
  maxTaskChars,
}: AppParts): RouteHandler {
  const start = startRequest(maxTaskChars)
  const app = new Hono<{ Bindings: RouteContext }>()
  describeRoutes(app, routeDocs(maxTaskChars))

  endpoint(app, '/api/platform/v1/agents/openapi.json', {
    // Loaded when it is asked for: it makes a JSON Schema of everything.
    GET: async () => Response.json((await import('./openapi.ts')).openApi(maxTaskChars)),
  })
  endpoint(app, '/api/platform/v1/agents/profiles', {
    GET: ({ env }) => asCaller(env, async () => service.profiles()),
  })
  endpoint(app, '/api/platform/v1/agents', {
    GET: ({ req, env }) =>
      withQuery(ListQuery, req.query(), (page) =>
        asCaller(env, (caller) => service.list(caller, page)),
      ),
  })
  endpoint(app, '/api/platform/v1/agents/run', {
    POST: async ({ req, env }) => {
      const key = idempotencyKeyOf(req.raw.headers)
      if (!key.ok) return failed(key.error)
      return withBody(req.raw, start, (body) =>
        asCaller(
          env,
          (caller) => service.start(caller, body, key.value, env.signal),
          body.scope_id,
        ),
      )
    },
  })
  endpoint(app, '/api/platform/v1/agents/:id/status', {
    GET: ({ req, env }) =>
      withQuery(StatusQuery, req.query(), ({ include_events }) =>
        asCaller(env, (caller) =>
          service.status(caller, readSession(req.param('id')), include_events),
        ),
      ),
  })
  endpoint(app, '/api/platform/v1/agents/:id/events', {
    GET: ({ req, env }) =>
      withQuery(EventsQuery, req.query(), (page) =>
        asCaller(env, (caller) => service.events(caller, readSession(req.param('id')), page)),
      ),
  })
  endpoint(app, '/api/platform/v1/agents/:id/artifacts', {
    GET: ({ req, env }) =>
      asCaller(env, (caller) => service.artifactsOf(caller, readSession(req.param('id')))),
  })
  endpoint(app, '/api/platform/v1/agents/:id/stream', {
    GET: async ({ req, env }) => {
      const caller = env.caller()
      if (!caller.ok) return failed(caller.error)
      const session = readSession(req.param('id'))
      if (session === undefined) return respond(NOT_FOUND)
      const last = req.header('last-event-id') ?? null
      const opened = await streams.open(caller.value, session, last, env.signal)
      if (!opened.ok) return failed(opened.error)
      return opened.value ?? respond(NOT_FOUND)
    },
  })
  endpoint(app, '/api/platform/v1/agents/:id/resume', {
    POST: ({ req, env }) =>
      withBody(req.raw, ResumeRequest, (body) =>
        asCaller(env, (caller) => service.resume(caller, readSession(req.param('id')), body)),
      ),
  })
  endpoint(app, '/api/platform/v1/agents/:id/cancel', {
    POST: ({ req, env }) =>
      withBody(req.raw, CancelRequest, ({ reason }) =>
        asCaller(env, (caller) => service.cancel(caller, readSession(req.param('id')), reason)),
      ),
  })
  endpoint(app, '/api/platform/v1/artifacts/:id', {
    GET: ({ req, env }) =>
      withQuery(ArtifactQuery, req.query(), (query) =>
        asCaller(env, (caller) => artifactService.get(caller, req.param('id'), query)),
      ),
  })

  endpoint(app, '/api/platform/v1/artifacts/:id/link', {
    POST: ({ req, env }) =>
      withBody(req.raw, LinkRequest, (body) =>
        asCaller(env, (caller) =>
          artifactService.link(caller, req.param('id'), body, new URL(req.url).origin),
        ),
      ),
  })

  app.notFound(() => failed(failure('NOT_FOUND', 'there is nothing at this path')))
  app.onError(crashed)
  return app
}

async function asCaller(
  context: RouteContext,
  work: (caller: Caller) => Promise<RunReply>,
  scope?: string | null,
): Promise<Response> {
  const caller = context.caller(scope)
  return caller.ok ? respond(await work(caller.value)) : failed(caller.error)
}

async function withBody<S extends z.ZodType>(
  request: Request,
  schema: S,
  work: (body: z.output<S>) => Promise<Response>,
): Promise<Response> {
  const body = await readJson(request, schema)
  return body.ok ? work(body.value) : failed(body.error)
}

async function withQuery<S extends z.ZodType>(
  schema: S,
  query: Readonly<Record<string, string>>,
  work: (query: z.output<S>) => Promise<Response>,
): Promise<Response> {
  const read = schema.safeParse(query)
  return read.success ? work(read.data) : failed(failure('VALIDATION_ERROR', problems(read.error)))
}

const respond = (reply: RunReply): Response =>
  reply.kind === 'body' ? Response.json(reply.body, { status: reply.status }) : failed(reply.error)
