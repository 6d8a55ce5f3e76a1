import { crashed, describeRoutes, endpoint, failed, problems } from '@amodal/plugin-http/tokens'
import {
  err,
  failure,
  type Failure,
  isObject,
  type Json,
  type JsonObject,
  ok,
  type Result,
  type RouteContext,
  type RouteHandler,
  type TenantId,
} from '@amodal/sdk'
import { isExact } from '@amodal/sdk/data'
import { Hono } from 'hono'
import { auditPage, type ReadLine } from './audit-page.ts'
import type { Verifier } from './verifier.ts'
import { verifyReport } from './verify-report.ts'
import { ROUTE_DOCS } from './route-docs.ts'
import { ListQuery } from './audit-requests.ts'

/** Hides secrets and restricted values in a text. */
type Mask = (text: string) => string

/** `/api/audit`: the lines of the caller's own tenant, and their verification. */
export function auditRoutes(verifier: Verifier, mask: Mask): RouteHandler {
  const running = new Map<string, ReturnType<typeof verifyReport>>()
  /** A check reads the whole log: callers that come while one is running get its result. */
  const verify = (tenant: TenantId, isOperator: boolean): ReturnType<typeof verifyReport> => {
    const key = JSON.stringify([tenant, isOperator])
    const known = running.get(key)
    if (known) return known
    const started = verifyReport(verifier, tenant, isOperator).finally(() => running.delete(key))
    running.set(key, started)
    return started
  }
  const app = new Hono<{ Bindings: RouteContext }>()
  describeRoutes(app, ROUTE_DOCS)
  endpoint(app, '/api/audit', {
    GET: async ({ req, env }) => answer(await listed(verifier, mask, req.query(), env)),
  })
  endpoint(app, '/api/audit/verify', {
    async POST({ env }) {
      const caller = env.caller()
      if (!caller.ok) return failed(caller.error)
      if (caller.value.ownSessionsOnly === true)
        return failed(
          failure(
            'FORBIDDEN_SCOPE',
            'the whole log of a tenant is for those who see all its sessions',
          ),
        )
      return answer(await verify(caller.value.tenant, env.identity?.tenant === undefined))
    },
  })
  app.notFound(() => failed(failure('NOT_FOUND', 'there is nothing at this path')))
  app.onError(crashed)
  return app
}

const answer = (body: Result<JsonObject, Failure>): Response =>
  body.ok ? Response.json(body.value) : failed(body.error)

async function listed(
  { store }: Verifier,
  mask: Mask,
  parameters: Readonly<Record<string, string>>,
  { caller, signal }: RouteContext,
): Promise<Result<JsonObject, Failure>> {
  const query = ListQuery.safeParse(
    Object.fromEntries(Object.entries(parameters).filter(([, value]) => value !== '')),
  )
  if (!query.success) return err(failure('VALIDATION_ERROR', problems(query.error)))
  const by = caller()
  if (!by.ok) return by
  const { tenant, principal, ownSessionsOnly = false } = by.value
  const { cursor: before, ...filter } = query.data
  // Whoever sees their own sessions alone sees their own actions alone.
  if (ownSessionsOnly && filter.principal !== undefined && filter.principal !== principal)
    return ok({ entries: [], next_cursor: null })
  const own = ownSessionsOnly ? { ...filter, principal } : filter
  const page = await auditPage(store, tenant, { ...own, before }, signal)
  if (!page.ok) return page
  const { lines, next } = page.value
  return ok({
    entries: lines.map((line) => entryView(line, mask)),
    next_cursor: next === undefined ? null : String(next),
  })
}

/** A line as clients see it. */
function entryView({ n, content }: ReadLine, mask: Mask): JsonObject {
  if (!content) return { n, erased: true }
  const { at = null, kind = null, principal, session, run, data } = content
  const facts = isObject(data) ? data : {}
  return {
    n,
    at,
    event: kind,
    ...(principal !== undefined && { principal }),
    ...(session !== undefined && { session_id: session }),
    ...(run !== undefined && { run_id: run }),
    outcome: outcomeOf(kind, facts),
    data: masked(facts, mask),
  }
}

/** What came of it, in one word; `null` where it only says that something happened. */
function outcomeOf(kind: Json, data: JsonObject): Json {
  switch (kind) {
    case 'tool_denied':
      return 'denied'
    case 'approval_answered':
      return data['approved'] === true ? 'approved' : 'declined'
    case 'request_refused':
      return data['code'] ?? null
    case 'run_end':
    case 'session_end':
      return data['reason'] ?? null
    default:
      return data['status'] ?? data['verdict'] ?? null
  }
}

function masked(value: Json, mask: Mask): Json {
  if (typeof value === 'string') return mask(value)
  if (typeof value !== 'object' || value === null || isExact(value)) return value
  if (Array.isArray(value)) return value.map((item: Json) => masked(item, mask))
  return Object.fromEntries(
    Object.entries(value).map(([key, item]: [string, Json]) => [key, masked(item, mask)]),
  )
}
