import {
  err,
  failure,
  ok,
  type Failure,
  type Result,
  type RouteContext,
  type RouteHandler,
} from '@amodal/sdk'
import { streamResponse } from '@amodal/sdk/wire'
import { crashed, describeRoutes, endpoint, failed } from '@amodal/plugin-http/tokens'
import { Hono } from 'hono'
import type { Bus } from './bus.ts'
import { viewOf } from './view.ts'
import { ROUTE_DOCS } from './route-docs.ts'

const LAST_EVENT_ID = 'last-event-id'

/** `GET /api/events`: a stream of changes on the server. */
export function createRoutes(bus: Bus): RouteHandler {
  const app = new Hono<{ Bindings: RouteContext }>()
  describeRoutes(app, ROUTE_DOCS)
  endpoint(app, '/api/events', { GET: ({ req, env }) => subscribed(bus, req.raw, env) })
  app.notFound(() => failed(failure('NOT_FOUND', 'there is nothing at this path')))
  app.onError(crashed)
  return app
}

function subscribed(bus: Bus, request: Request, context: RouteContext): Response {
  const { identity } = context
  const caller = context.caller()
  if (!caller.ok) return failed(caller.error)
  if (!identity) return failed(failure('UNAUTHENTICATED', 'this needs a credential'))
  const from = placeOf(request.headers.get(LAST_EVENT_ID))
  if (!from.ok) return failed(from.error)
  const query = new URL(request.url).searchParams
  const replay = countOf(query.get('replay'))
  if (!replay.ok) return failed(replay.error)
  const { tenant } = caller.value
  const source = bus.subscribe(
    tenant,
    viewOf(caller.value, identity, query.get('named') === '1'),
    from.value ?? bus.placeBefore(tenant, replay.value),
  )
  if (!source.ok) return failed(source.error)
  // A client tells replayed events from new ones by this place.
  const headers = { [LAST_EVENT_ID]: String(bus.placeBefore(tenant, 0)) }
  return request.method === 'HEAD'
    ? new Response(null, { headers: { ...headers, 'content-type': 'text/event-stream' } })
    : streamResponse(source.value, { headers })
}

/** A browser that has received no event yet sends an empty one. */
function placeOf(id: string | null): Result<number | undefined, Failure> {
  if (id === null || id === '') return ok(undefined)
  return /^\d{1,15}$|^[1-8]\d{15}$/.test(id)
    ? ok(Number(id))
    : err(failure('VALIDATION_ERROR', 'Last-Event-ID: is not the id of an event (a whole number)'))
}

/** The number of past events with which the stream begins. */
function countOf(replay: string | null): Result<number, Failure> {
  if (replay === null) return ok(0)
  return /^\d{1,6}$/.test(replay)
    ? ok(Number(replay))
    : err(failure('VALIDATION_ERROR', 'replay: is not a whole number of events from 0 to 999999'))
}
