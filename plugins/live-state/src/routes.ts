import {
  failure,
  isObject,
  sessionId,
  type Agent,
  type Caller,
  type Failure,
  type JsonObject,
  type Result,
  type RouteContext,
  type RouteHandler,
} from '@amodal/sdk'
import { streamResponse } from '@amodal/sdk/wire'
import { crashed, describeRoutes, endpoint, failed, readJson } from '@amodal/plugin-http/tokens'
import { Hono } from 'hono'
import { VersionRequired } from './errors.ts'
import type { Followers } from './followers.ts'
import { ROUTE_DOCS } from './route-docs.ts'
import { changesShape } from './state-requests.ts'

/** Where the state of a session is. */
export const ROUTE = '/sessions/:id/state'

export function createRoutes(agent: Agent, followers: Followers): RouteHandler {
  const state = new StateRoutes(agent, followers)
  const app = new Hono<{ Bindings: RouteContext }>()
  describeRoutes(app, ROUTE_DOCS)
  endpoint(app, ROUTE, {
    GET: ({ req, env }) => state.get(env, req.raw, req.param('id')),
    PATCH: ({ req, env }) => state.patch(env, req.raw, req.param('id')),
  })
  endpoint(app, `${ROUTE}/stream`, {
    GET: ({ req, env }) => state.stream(env, req.raw, req.param('id')),
  })
  app.notFound(() => failed(failure('NOT_FOUND', 'there is nothing at this path')))
  app.onError(crashed)
  return app
}

class StateRoutes {
  readonly #agent: Agent
  readonly #followers: Followers

  constructor(agent: Agent, followers: Followers) {
    this.#agent = agent
    this.#followers = followers
  }

  async get(context: RouteContext, request: Request, id: string): Promise<Response> {
    const found = await this.#found(context, id)
    if (!found.ok) return failed(found.error)
    const caller = found.value
    const read = await this.#followers.read(
      { tenant: caller.tenant, session: sessionId(id) },
      caller.roles,
    )
    if (!read.ok) return failed(read.error)
    const { version, state, status } = read.value
    const headers = { etag: `"${version}"`, 'cache-control': 'no-cache' }
    return request.headers.get('if-none-match') === headers.etag
      ? new Response(null, { status: 304, headers })
      : Response.json({ version, state, status }, { headers })
  }

  async patch(context: RouteContext, request: Request, id: string): Promise<Response> {
    const found = await this.#found(context, id)
    if (!found.ok) return failed(found.error)
    const match = request.headers.get('if-match')
    if (match === null)
      return failed(VersionRequired('If-Match: say which version this write is for'))
    const body = await readJson(request, changesShape)
    if (!body.ok) return failed(body.error)
    const change: JsonObject = {
      base: match === '*' ? null : match.replaceAll('"', ''),
      changes: body.value,
    }
    const caller = found.value
    const changed = await this.#agent
      .as(caller)
      .change(sessionId(id), 'live-state', change, context.signal)
    if (!changed.ok) return failed(changed.error)
    const version = isObject(changed.value) ? changed.value['version'] : undefined
    const headers = typeof version === 'string' ? { etag: `"${version}"` } : {}
    return Response.json(changed.value, { headers })
  }

  async stream(context: RouteContext, request: Request, id: string): Promise<Response> {
    const found = await this.#found(context, id)
    if (!found.ok) return failed(found.error)
    const caller = found.value
    const ref = { tenant: caller.tenant, session: sessionId(id) }
    const read = await this.#followers.read(ref, caller.roles)
    if (!read.ok) return failed(read.error)
    const last = request.headers.get('last-event-id')
    const from = last ?? new URL(request.url).searchParams.get('from') ?? undefined
    return request.method === 'HEAD'
      ? new Response(null, { headers: { 'content-type': 'text/event-stream' } })
      : streamResponse(this.#followers.follow(ref, read.value, from))
  }

  /** The caller, where the session is theirs to see. */
  async #found(context: RouteContext, id: string): Promise<Result<Caller, Failure>> {
    const caller = context.caller()
    if (!caller.ok) return caller
    const session = await this.#agent
      .as(caller.value)
      .session(sessionId(id), context.signal, Number.MAX_SAFE_INTEGER)
    return session.ok ? caller : session
  }
}
