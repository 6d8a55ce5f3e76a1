import {
  failure,
  sleep,
  type Agent,
  type Caller,
  type Failure,
  type Result,
  type RouteContext,
  type RouteHandler,
} from '@amodal/sdk'
import { eventStream } from '@amodal/sdk/wire'
import {
  crashed,
  describeRoutes,
  endpoint,
  failed,
  problems,
  readJson,
} from '@amodal/plugin-http/tokens'
import { Hono } from 'hono'
import { webhookPathOf, type Target } from './definition.ts'
import { isSettled, type DeliveryRow, type Run } from './run.ts'
import { principalOf } from './run-state.ts'
import type { AutomationService, Shown } from './service.ts'
import { webhookIdOf } from './webhook/receiver.ts'
import { ROUTE_DOCS } from './route-docs.ts'
import { Backfill, Count, Deliveries, Redrive } from './automation-requests.ts'

/** What somebody may do with automations, by their roles. */
export interface Rights {
  readonly view: boolean
  /** Start, stop, run, redrive. */
  readonly manage: boolean
}

export interface RoutesParts {
  readonly service: AutomationService
  readonly agent: Agent
  readonly rightsOf: (caller: Caller) => Rights
}

/** `/automations`. */
export function automationRoutes({ service, agent, rightsOf }: RoutesParts): RouteHandler {
  /** Whoever may not view learns of nothing. */
  async function as(
    context: RouteContext,
    right: keyof Rights,
    work: (caller: Caller) => Promise<Response>,
  ): Promise<Response> {
    const caller = context.caller()
    if (!caller.ok) return failed(caller.error)
    const rights = rightsOf(caller.value)
    if (!rights.view) return failed(failure('NOT_FOUND', 'there is nothing at this path'))
    if (!rights[right])
      return failed(failure('FORBIDDEN_SCOPE', 'no role of yours may manage automations'))
    return work(caller.value)
  }

  const app = new Hono<{ Bindings: RouteContext }>()
  describeRoutes(app, ROUTE_DOCS)
  endpoint(app, '/automations', {
    GET: ({ env }) =>
      as(env, 'view', async ({ tenant }) =>
        json(await service.list(tenant), (all) => ({ automations: all.map(shownAs) })),
      ),
  })
  for (const [path, paused] of [
    ['start', false],
    ['stop', true],
  ] as const)
    endpoint(app, `/automations/:name/${path}`, {
      POST: ({ req, env }) =>
        as(env, 'manage', async ({ tenant }) =>
          json(await service.pause(tenant, req.param('name'), paused), ({ name }) => ({
            status: paused ? 'stopped' : 'started',
            automation: name,
          })),
        ),
    })
  endpoint(app, '/automations/:name/run', {
    POST: ({ req, env }) =>
      as(env, 'manage', (caller) => runNow(service, req.raw, req.param('name'), env, caller)),
  })
  endpoint(app, '/automations/:name/stream', {
    POST: ({ req, env }) =>
      as(env, 'manage', (caller) =>
        streamed({ service, agent }, req.raw, req.param('name'), env, caller),
      ),
  })
  endpoint(app, '/automations/:name/runs', {
    GET: ({ req, env }) =>
      as(env, 'view', async ({ tenant }) => {
        const page = Count.safeParse(req.query())
        if (!page.success) return failed(failure('VALIDATION_ERROR', problems(page.error)))
        const runs = await service.history(tenant, req.param('name'), page.data.limit)
        return json(runs, (all) => ({ runs: all.map(runAs) }))
      }),
  })
  endpoint(app, '/automations/:name/preview', {
    GET: ({ req, env }) =>
      as(env, 'view', async () => {
        const page = Count.safeParse({ limit: 5, ...req.query() })
        if (!page.success) return failed(failure('VALIDATION_ERROR', problems(page.error)))
        return json(service.preview(req.param('name'), page.data.limit), (all) => ({
          next: all.map(isoOf),
        }))
      }),
  })
  endpoint(app, '/automations/:name/backfill', {
    POST: ({ req, env }) =>
      as(env, 'manage', async ({ tenant }) => {
        const body = await readJson(req.raw, Backfill)
        if (!body.ok) return failed(body.error)
        const { from, to } = body.value
        const [first, last] = [Date.parse(from), Date.parse(to)]
        const made = await service.backfill(tenant, req.param('name'), first, last)
        return json(made, (runs) => ({ runs: runs.map(runAs) }))
      }),
  })
  endpoint(app, '/automations/:name/deliveries', {
    GET: ({ req, env }) =>
      as(env, 'view', async ({ tenant }) => {
        const page = Deliveries.safeParse(req.query())
        if (!page.success) return failed(failure('VALIDATION_ERROR', problems(page.error)))
        const found = await service.deliveries(tenant, {
          ...page.data,
          automation: req.param('name'),
        })
        return json(found, (all) => ({ deliveries: all.map(deliveryAs) }))
      }),
  })
  endpoint(app, '/automations/:name/deliveries/:id', {
    GET: ({ req, env }) =>
      as(env, 'view', async ({ tenant }) =>
        json(await service.attempts(tenant, req.param('id')), (attempts) => ({
          attempts: attempts.map(({ at, ms, httpStatus, error, body }) => ({
            at: isoOf(at),
            duration_ms: ms,
            http_status: httpStatus,
            error,
            body,
          })),
        })),
      ),
  })
  endpoint(app, '/automations/:name/redrive', {
    POST: ({ req, env }) =>
      as(env, 'manage', async ({ tenant }) => {
        const body = await readJson(req.raw, Redrive)
        if (!body.ok) return failed(body.error)
        const done = await service.redrive(tenant, req.param('name'), body.value.ids)
        return json(done, (redriven) => ({ redriven }))
      }),
  })
  app.notFound(() => failed(failure('NOT_FOUND', 'there is nothing at this path')))
  app.onError(crashed)
  return app
}

const json = <T>(result: Result<T, Failure>, shape: (value: T) => object): Response =>
  result.ok ? Response.json(shape(result.value)) : failed(result.error)

/** Starts a run and waits for it, or, with `?wait=0`, not. */
async function runNow(
  service: AutomationService,
  request: Request,
  name: string,
  { signal }: RouteContext,
  { tenant }: Caller,
): Promise<Response> {
  const begun = await service.trigger(tenant, name, keyIn(request))
  if (!begun.ok) return failed(begun.error)
  if (new URL(request.url).searchParams.get('wait') === '0')
    return Response.json(
      { status: 'accepted', automation: name, run_id: begun.value.id },
      { status: 202 },
    )
  const ended = await service.wait(begun.value, isSettled, signal)
  return json(ended, (run) => ({ ...runAs(run), status: run.status, automation: name }))
}

/** Starts a run and streams its session. */
async function streamed(
  { service, agent }: Pick<RoutesParts, 'service' | 'agent'>,
  request: Request,
  name: string,
  { signal }: RouteContext,
  { tenant }: Caller,
): Promise<Response> {
  const begun = await service.trigger(tenant, name, keyIn(request))
  if (!begun.ok) return failed(begun.error)
  const started = await service.wait(begun.value, ({ status }) => status !== 'queued', signal)
  if (!started.ok) return failed(started.error)
  const { session, id } = started.value
  if (session === undefined)
    return failed(failure('RUN_ACTIVE', 'another run of this automation is in progress'))
  const client = agent.as({ tenant, principal: principalOf(name) })
  for (let looks = 0; ; looks++) {
    const followed = await client.follow(session, undefined, id, signal)
    if (followed.ok) return eventStream(followed.value)
    // Its message is sent a moment after the run has begun.
    const isSoon = followed.error.code === 'SESSION_NOT_FOUND' && looks < MOST_LOOKS
    if (!isSoon || signal.aborted) return failed(followed.error)
    await sleep(LOOK_MS, signal)
  }
}

/** ms between looks for the session of a run, and how many of them. */
const LOOK_MS = 100
const MOST_LOOKS = 100

const keyIn = (request: Request): string | undefined =>
  request.headers.get('idempotency-key') ?? undefined

const isoOf = (at: number): string => new Date(at).toISOString()

function shownAs({ automation, paused, next, last }: Shown): object {
  const { name, title, prompt, schedule, trigger, timezone } = automation
  return {
    name,
    title,
    prompt,
    ...(schedule !== undefined && { schedule, timezone }),
    trigger,
    webhookTriggered: trigger === 'webhook',
    ...(trigger === 'webhook' && {
      webhookUrl: webhookPathOf(automation),
      webhookId: webhookIdOf(name),
    }),
    running: !paused,
    ...(next !== undefined && { nextRun: isoOf(next) }),
    ...(last && {
      lastRun: isoOf(last.startedAt ?? last.createdAt),
      lastRunStatus: last.status,
      ...(last.error !== undefined && { lastRunError: last.error }),
      ...(last.session !== undefined && { lastRunSessionId: last.session }),
    }),
  }
}

export const runAs = (run: Run): object => ({
  run_id: run.id,
  source: run.source,
  due: isoOf(run.due),
  status: run.status,
  ...(run.heldUntil !== undefined && { held_until: isoOf(run.heldUntil) }),
  ...(run.startedAt !== undefined && { started_at: isoOf(run.startedAt) }),
  ...(run.waitingSince !== undefined && { waiting_since: isoOf(run.waitingSince) }),
  ...(run.endedAt !== undefined && { ended_at: isoOf(run.endedAt) }),
  ...(run.session !== undefined && { session_id: run.session }),
  ...(run.result !== undefined && { result: run.result }),
  ...(run.error !== undefined && { error: run.error }),
  ...(run.refused.length > 0 && { refused: run.refused }),
})

const deliveryAs = (row: DeliveryRow): object => ({
  id: row.id,
  run_id: row.run,
  target: shownTarget(row.target),
  status: row.status,
  attempts: row.attempts,
  created_at: isoOf(row.createdAt),
  ...(row.endedAt !== undefined && { ended_at: isoOf(row.endedAt) }),
  ...(row.error !== undefined && { error: row.error }),
})

/** `env:NAME` as the file says it; an address that stands in the file may hold a secret. */
export const shownTarget = (target: Target): Target =>
  target.type === 'webhook' ? { type: 'webhook', url: shownUrl(target.url) } : target

const shownUrl = (url: string): string =>
  url.startsWith('env:') ? url : (URL.parse(url)?.origin ?? '')
