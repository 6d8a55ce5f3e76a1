import {
  failure,
  sessionId,
  type Agent,
  type Caller,
  type Failure,
  type Result,
  type RouteContext,
  type RouteHandler,
} from '@amodal/sdk'
import { DatabaseError } from '@amodal/sdk/database'
import {
  crashed,
  describeRoutes,
  endpoint,
  failed,
  problems,
  readJson,
} from '@amodal/plugin-http/tokens'
import { Hono } from 'hono'
import type { Promoter } from '../promote/promoter.ts'
import { compareRuns } from '../report/compare-runs.ts'
import type { ReplayService } from './replay-service.ts'
import type { RunService } from './run-service.ts'
import { runShown, suitesShown, wholeRun } from './shown.ts'
import { ROUTE_DOCS } from './route-docs.ts'
import { Asked, Other, Page, Promoted, Replayed, Resumed } from './eval-requests.ts'

export const PREFIX = '/api/evals'

export interface EvalRouteParts {
  readonly agent: Agent
  readonly promoter: Promoter
  readonly replays: ReplayService
  readonly service: RunService
}

/** `/api/evals`. */
export function evalRoutes({ agent, promoter, replays, service }: EvalRouteParts): RouteHandler {
  const app = new Hono<{ Bindings: RouteContext }>()
  describeRoutes(app, ROUTE_DOCS)
  endpoint(app, `${PREFIX}/suites`, {
    GET: ({ env }) => as(env, async () => Response.json(suitesShown(agent.bundle()))),
  })
  endpoint(app, `${PREFIX}/run`, {
    POST: ({ env, req }) =>
      as(env, async (caller) => {
        const body = await readJson(req.raw, Asked)
        if (!body.ok) return failed(body.error)
        return accepted(await service.start(caller, body.value))
      }),
  })
  endpoint(app, `${PREFIX}/promote`, {
    POST: ({ env, req }) =>
      as(env, async (caller) => {
        const body = await readJson(req.raw, Promoted)
        if (!body.ok) return failed(body.error)
        const { session, ...request } = body.value
        const promotion = await promoter.promote(caller, sessionId(session), request, env.signal)
        return json(promotion, (one) => ({ ...one }))
      }),
  })
  endpoint(app, `${PREFIX}/replay`, {
    POST: ({ env, req }) =>
      as(env, async (caller) => {
        const body = await readJson(req.raw, Replayed)
        if (!body.ok) return failed(body.error)
        const { session, with: changes } = body.value
        const replay = await replays.replay(caller, sessionId(session), changes, env.signal)
        return json(replay, ({ report }) => report)
      }),
  })
  endpoint(app, `${PREFIX}/runs`, {
    GET: ({ env, req }) =>
      as(env, async (caller) => {
        const page = Page.safeParse(req.query())
        if (!page.success) return failed(failure('VALIDATION_ERROR', problems(page.error)))
        const runs = await service.list(caller, page.data.limit)
        return Response.json({ runs: runs.map(runShown) })
      }),
  })
  endpoint(app, `${PREFIX}/runs/:id`, {
    GET: ({ env, req }) =>
      as(env, async (caller) => json(await service.find(caller, req.param('id')), wholeRun)),
  })
  endpoint(app, `${PREFIX}/runs/:id/compare`, {
    GET: ({ env, req }) =>
      as(env, async (caller) => {
        const query = Other.safeParse(req.query())
        if (!query.success) return failed(failure('VALIDATION_ERROR', problems(query.error)))
        return compared(service, caller, req.param('id'), query.data.with)
      }),
  })
  endpoint(app, `${PREFIX}/runs/:id/cancel`, {
    POST: ({ env, req }) =>
      as(env, async (caller) =>
        json(await service.cancel(caller, req.param('id')), ({ id, status }) => ({ id, status })),
      ),
  })
  endpoint(app, `${PREFIX}/runs/:id/resume`, {
    POST: ({ env, req }) =>
      as(env, async (caller) => {
        const body = await readJson(req.raw, Resumed)
        if (!body.ok) return failed(body.error)
        return accepted(await service.resume(caller, req.param('id'), body.value.budget))
      }),
  })
  app.notFound(() => failed(failure('NOT_FOUND', 'there is nothing at this path')))
  app.onError(storeFailed)
  return app
}

async function as(
  context: RouteContext,
  work: (caller: Caller) => Promise<Response>,
): Promise<Response> {
  const caller = context.caller()
  return caller.ok ? work(caller.value) : failed(caller.error)
}

/** The other run counts as the earlier one, whichever was started first. */
async function compared(
  service: RunService,
  caller: Caller,
  id: string,
  other: string,
): Promise<Response> {
  const [now, before] = await Promise.all([service.find(caller, id), service.find(caller, other)])
  if (!now.ok) return failed(now.error)
  if (!before.ok) return failed(before.error)
  return Response.json({
    before: runShown(before.value),
    now: runShown(now.value),
    cases: compareRuns(before.value.run, now.value.run),
  })
}

const json = <T>(result: Result<T, Failure>, shape: (value: T) => object): Response =>
  result.ok ? Response.json(shape(result.value)) : failed(result.error)

const accepted = (result: Result<string, Failure>): Response =>
  result.ok ? Response.json({ id: result.value }, { status: 202 }) : failed(result.error)

/** What a store of runs throws says what failed. */
export const storeFailed = (cause: unknown): Response =>
  cause instanceof DatabaseError ? failed(cause.failure) : crashed(cause)
