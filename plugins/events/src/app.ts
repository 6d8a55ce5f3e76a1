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
import { crashed, endpoint, failed } from '@amodal/plugin-http/tokens'
import { Hono } from 'hono'
import type { Bus } from './bus.ts'
import { viewOf } from './view.ts'

/** `GET /api/events`: what changes, as it happens. */
export function createRoutes(bus: Bus): RouteHandler {
  const app = new Hono<{ Bindings: RouteContext }>()
  endpoint(app, '/api/events', { GET: ({ req, env }) => subscribed(bus, req.raw, env) })
  app.notFound(() => failed(failure('NOT_FOUND', 'there is nothing at this path')))
  app.onError(crashed)
  return app
}

function subscribed(bus: Bus, request: Request, { identity, caller }: RouteContext): Response {
  const principal = caller()
  if (!principal.ok) return failed(principal.error)
  if (!identity) return failed(failure('UNAUTHENTICATED', 'this needs a credential'))
  const from = placeOf(request.headers.get('last-event-id'))
  if (!from.ok) return failed(from.error)
  const named = new URL(request.url).searchParams.get('named') === '1'
  const source = bus.subscribe(
    principal.value.tenant,
    viewOf(principal.value, identity, named),
    from.value,
  )
  if (!source.ok) return failed(source.error)
  return request.method === 'HEAD'
    ? new Response(null, { headers: { 'content-type': 'text/event-stream' } })
    : streamResponse(source.value)
}

/** An empty one is what a browser sends that has seen no event yet. */
function placeOf(id: string | null): Result<number | undefined, Failure> {
  if (id === null || id === '') return ok(undefined)
  return /^\d{1,15}$|^[1-8]\d{15}$/.test(id)
    ? ok(Number(id))
    : err(failure('VALIDATION_ERROR', 'Last-Event-ID: is not the id of an event (a whole number)'))
}
