import {
  err,
  failure,
  ok,
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
  mayUse,
  readJson,
} from '@amodal/plugin-http/tokens'
import { Hono } from 'hono'
import type { FeedbackFilter } from './entry.ts'
import { countsView, cursorOf, entryView, givenView, placeOf } from './entry-view.ts'
import { exported } from './export.ts'
import {
  FeedbackRequest,
  filterOf,
  readExportQuery,
  readFilter,
  readListQuery,
} from './feedback-request.ts'
import type { FeedbackService } from './feedback-service.ts'
import { ROUTE_DOCS } from './route-docs.ts'

/** Entries that are read at once for a file. */
const EXPORT_PAGE = 500

type Query = Readonly<Record<string, string>>

/** `/api/feedback`. */
export function feedbackRoutes(service: FeedbackService): RouteHandler {
  const app = new Hono<{ Bindings: RouteContext }>()
  describeRoutes(app, ROUTE_DOCS)
  endpoint(app, '/api/feedback', {
    GET: async ({ req, env }) => answer(await listed(service, req.query(), env)),
    POST: async ({ req, env }) => answer(await give(service, req.raw, env)),
  })
  endpoint(app, '/api/feedback/categories', {
    GET: ({ env }) => {
      const caller = env.caller()
      return caller.ok ? Response.json(service.offer()) : failed(caller.error)
    },
  })
  endpoint(app, '/api/feedback/stats', {
    GET: async ({ req, env }) => answer(await counted(service, req.query(), env)),
  })
  endpoint(app, '/api/feedback/export', {
    GET: ({ req, env }) => download(service, req.query(), env),
  })
  app.notFound(() => failed(failure('NOT_FOUND', 'there is nothing at this path')))
  app.onError(crashed)
  return app
}

const answer = (body: Result<object, Failure>): Response =>
  body.ok ? Response.json(body.value) : failed(body.error)

/**
 * Whose feedback somebody may read: that of everybody with the scope `feedback`, their own without
 * it, and where they see no sessions of others.
 */
export function readableBy(
  { identity }: Pick<RouteContext, 'identity'>,
  { principal, ownSessionsOnly = false }: Caller,
): string | undefined {
  const readsAll = identity !== undefined && mayUse(identity, 'feedback') && !ownSessionsOnly
  return readsAll ? undefined : principal
}

async function give(
  service: FeedbackService,
  request: Request,
  context: RouteContext,
): Promise<Result<object, Failure>> {
  const body = await readJson(request, FeedbackRequest)
  if (!body.ok) return body
  const caller = context.caller(body.value.scope_id)
  if (!caller.ok) return caller
  const stored = await service.give(caller.value, body.value, context.signal)
  return stored.ok ? ok(givenView(body.value.session_id, stored.value)) : stored
}

async function listed(
  service: FeedbackService,
  parameters: Query,
  context: RouteContext,
): Promise<Result<object, Failure>> {
  const query = readListQuery(parameters)
  if (!query.ok) return query
  const caller = context.caller()
  if (!caller.ok) return caller
  const { limit, cursor, mine } = query.value
  const after = cursor === undefined ? undefined : placeOf(cursor)
  if (cursor !== undefined && !after)
    return err(failure('VALIDATION_ERROR', 'cursor: is none that a list of feedback gave'))
  const own = mine === 'true' ? caller.value.principal : undefined
  const filter = filterOf(query.value, own ?? readableBy(context, caller.value))
  const page = await service.page(caller.value, filter, { limit, after }, context.signal)
  if (!page.ok) return page
  const { entries, next } = page.value
  return ok({ feedback: entries.map(entryView), next_cursor: next ? cursorOf(next) : null })
}

async function counted(
  service: FeedbackService,
  parameters: Query,
  context: RouteContext,
): Promise<Result<object, Failure>> {
  const query = readFilter(parameters)
  if (!query.ok) return query
  const caller = context.caller()
  if (!caller.ok) return caller
  const filter = filterOf(query.value, readableBy(context, caller.value))
  const counts = await service.counts(caller.value, filter, context.signal)
  return counts.ok ? ok(countsView(counts.value)) : counts
}

async function download(
  service: FeedbackService,
  parameters: Query,
  context: RouteContext,
): Promise<Response> {
  const query = readExportQuery(parameters)
  if (!query.ok) return failed(query.error)
  const caller = context.caller()
  if (!caller.ok) return failed(caller.error)
  const filter: FeedbackFilter = filterOf(query.value, readableBy(context, caller.value))
  const file = await exported(query.value.format, (after) =>
    service.page(caller.value, filter, { limit: EXPORT_PAGE, after }, context.signal),
  )
  return file.ok ? file.value : failed(file.error)
}
