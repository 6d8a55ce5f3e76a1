import type { Caller, Clock, Failure, Result, RouteContext, RouteHandler } from '@amodal/sdk'
import { crashed, describeRoutes, endpoint, failed } from '@amodal/plugin-http/tokens'
import { failure, ok, type JsonObject } from '@amodal/sdk'
import { Hono } from 'hono'
import type { AlertStore } from './budgets/alert-store.ts'
import { budgetList } from './budgets/budget-list.ts'
import { exported } from './export.ts'
import type { UsageFilter, UsageStore } from './report.ts'
import type { Budget } from './settings.ts'
import { readExport, readOperatorQuery, readQuery } from './usage-query.ts'
import { reportView } from './view.ts'
import { ROUTE_DOCS } from './route-docs.ts'

export interface RouteParts {
  readonly store: UsageStore
  readonly clock: Clock
  /** Writes what has ended and is not written yet. */
  readonly flush: () => Promise<void>
  readonly alerts: AlertStore
  readonly budgets: () => readonly Budget[]
}

type Parameters = Readonly<Record<string, string>>

/** `/api/usage`. */
export function usageRoutes(parts: RouteParts): RouteHandler {
  const app = new Hono<{ Bindings: RouteContext }>()
  describeRoutes(app, ROUTE_DOCS)
  endpoint(app, '/api/usage', {
    GET: async ({ req, env }) => {
      const report = await reported(parts, req.query(), env)
      return report.ok ? Response.json(report.value) : failed(report.error)
    },
  })
  endpoint(app, '/api/usage/export', {
    GET: ({ req, env }) => download(parts, req.query(), env),
  })
  endpoint(app, '/api/usage/budgets', {
    GET: async ({ req, env }) => {
      const list = await budgeted(parts, req.query(), env)
      return list.ok ? Response.json({ budgets: list.value }) : failed(list.error)
    },
  })
  app.notFound(() => failed(failure('NOT_FOUND', 'there is nothing at this path')))
  app.onError(crashed)
  return app
}

/** The sums of every tenant, for whoever runs the server. */
export async function reportOfAll(
  { store, clock, flush }: RouteParts,
  parameters: Parameters,
  signal: AbortSignal,
): Promise<Result<JsonObject, Failure>> {
  const query = readOperatorQuery(parameters, clock.now())
  if (!query.ok) return query
  await flush()
  const report = await store.report(undefined, query.value, signal)
  return report.ok ? ok(reportView(query.value, report.value)) : report
}

async function reported(
  { store, clock, flush }: RouteParts,
  parameters: Parameters,
  context: RouteContext,
): Promise<Result<JsonObject, Failure>> {
  const query = readQuery(parameters, clock.now())
  if (!query.ok) return query
  const caller = context.caller(parameters['scope_id'])
  if (!caller.ok) return caller
  await flush()
  const own = { ...query.value, ...visibleTo(caller.value) }
  const report = await store.report(caller.value.tenant, own, context.signal)
  return report.ok ? ok(reportView(query.value, report.value)) : report
}

/** None for callers who see no usage of others: a budget is of all. */
async function budgeted(
  { store, clock, flush, alerts, budgets }: RouteParts,
  parameters: Parameters,
  context: RouteContext,
): Promise<Result<readonly JsonObject[], Failure>> {
  const caller = context.caller(parameters['scope_id'])
  if (!caller.ok) return caller
  const { tenant, ownSessionsOnly } = caller.value
  if (ownSessionsOnly === true) return ok([])
  await flush()
  return budgetList(budgets(), tenant, clock.now(), { store, alerts }, context.signal)
}

async function download(
  { store, clock, flush }: RouteParts,
  parameters: Parameters,
  context: RouteContext,
): Promise<Response> {
  const query = readExport(parameters, clock.now())
  if (!query.ok) return failed(query.error)
  const caller = context.caller(parameters['scope_id'])
  if (!caller.ok) return failed(caller.error)
  await flush()
  const filter: UsageFilter = { ...query.value.filter, ...visibleTo(caller.value) }
  const { tenant } = caller.value
  const file = await exported(query.value.format, (range) =>
    store.page(tenant, filter, range, context.signal),
  )
  return file.ok ? file.value : failed(file.error)
}

/** Callers who see no sessions of others see no usage of others. */
const visibleTo = ({ ownSessionsOnly, principal }: Caller): Pick<UsageFilter, 'principal'> =>
  ownSessionsOnly ? { principal } : {}
