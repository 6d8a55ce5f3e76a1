import {
  err,
  failure,
  ok,
  OutputRedactor,
  seenBy,
  type Agent,
  type Caller,
  type Failure,
  type Generation,
  type JsonObject,
  type RequestLimiter,
  type Result,
  type RouteContext,
  type RouteHandler,
} from '@amodal/sdk'
import { jsonValue } from '@amodal/sdk/data'
import { newKey } from '@amodal/sdk/loop'
import { callDirectly, type Turn } from '@amodal/plugin-loop/tokens'
import {
  crashed,
  describeRoutes,
  endpoint,
  failed,
  idempotencyKeyOf,
  rateLimited,
  readJson,
  type RouteDocs,
} from '@amodal/plugin-http/tokens'
import { Hono } from 'hono'
import { z } from 'zod'
import { customTools } from '../custom-tool.ts'
import { STARTED, triggerOf } from './started-call.ts'

export const TOOLS_ROUTE = '/api/tools'

const RunRequest = z.strictObject({
  input: z.record(z.string(), jsonValue).default({}),
  scope_id: z.string().max(200).nullish(),
})

/** What `GET /openapi.json` says of this route. */
const INVOKE_DOCS: RouteDocs = {
  'POST /api/tools/:name/run': {
    summary: 'runs a durable tool whose trigger is `invoke`, in a session of its own',
    body: RunRequest,
    headers: { 'Idempotency-Key': 'The same key is the same run.' },
  },
}

export interface InvokeParts {
  readonly agent: Agent
  readonly generation: () => Generation
  readonly limiter: RequestLimiter | undefined
}

/**
 * `POST /api/tools/:name/run`: runs a tool without a model, under the same guards and approvals.
 * Other tools than those with the trigger `invoke` and durable execution are not there.
 */
export function invokeRoutes(parts: InvokeParts): RouteHandler {
  const app = new Hono<{ Bindings: RouteContext }>()
  describeRoutes(app, INVOKE_DOCS)
  endpoint(app, `${TOOLS_ROUTE}/:name/run`, {
    POST: ({ req, env }) => invoke(req.param('name'), req.raw, env, parts),
  })
  app.notFound(() => failed(failure('NOT_FOUND', 'there is nothing at this path')))
  app.onError(crashed)
  return app
}

async function invoke(
  name: string,
  request: Request,
  context: RouteContext,
  { agent, generation, limiter }: InvokeParts,
): Promise<Response> {
  const key = idempotencyKeyOf(request.headers)
  if (!key.ok) return failed(key.error)
  const body = await readJson(request, RunRequest)
  if (!body.ok) return failed(body.error)
  const caller = context.caller(body.value.scope_id)
  if (!caller.ok) return failed(caller.error)
  const known = invocable(name, caller.value, agent, generation())
  if (!known.ok) return failed(known.error)
  const run = { name, input: body.value.input, key: key.value ?? newKey() }
  return rateLimited(limiter, caller.value, () =>
    perform(run, caller.value, agent, generation(), context.signal),
  )
}

/** An error for every tool that a request may not run, as if it were not there. */
function invocable(
  name: string,
  { roles = [] }: Caller,
  agent: Agent,
  { scope }: Generation,
): Result<void, Failure> {
  const bundle = agent.bundle()
  const seen = bundle && seenBy(bundle, roles, scope)
  const tool = seen && customTools(seen).find((one) => one.name === name)
  const isOpen =
    tool?.kind === 'handler' && tool.execution === 'durable' && triggerOf(tool, 'invoke')
  return isOpen ? ok(undefined) : err(failure('NOT_FOUND', 'there is no such tool to run'))
}

interface RequestedRun {
  readonly name: string
  readonly input: JsonObject
  readonly key: string
}

async function perform(
  { name, input, key }: RequestedRun,
  caller: Caller,
  agent: Agent,
  generation: Generation,
  signal: AbortSignal,
): Promise<Response> {
  const client = agent.as(caller)
  const request = { tool: name, args: input, text: `Run of the tool ${name}`, key }
  const called = await callDirectly(client, STARTED, request, signal)
  if (!called.ok) return failed(called.error)
  const { call, turn } = called.value
  const view = await client.session(turn.session, signal)
  if (!view.ok) return failed(view.error)
  const entry = view.value.entries.findLast(
    (one) => one.kind === 'tool_outcome' && one.call === call,
  )
  const shown = entry && (generation.scope.find(OutputRedactor)?.entry(entry) ?? entry)
  return shown?.kind === 'tool_outcome'
    ? answer(turn, {
        ...(shown.status === 'success'
          ? { kind: 'complete' }
          : { kind: 'failed', reason: textOf(shown.output) }),
        result: shown.status === 'success' ? shown.output : null,
      })
    : waiting(turn)
}

const textOf = (output: unknown): string =>
  typeof output === 'string' ? output : JSON.stringify(output)

const answer = (
  { session }: Turn,
  { result = null, ...outcome }: JsonObject,
  status = 200,
): Response => Response.json({ sessionId: session, outcome, result }, { status })

/** A run without an outcome waits, or has ended before its call. */
function waiting(turn: Turn): Response {
  if (turn.pending.length > 0)
    return answer(turn, { kind: 'waiting', asks: turn.pending.map(({ id }) => id) }, 202)
  const problem = turn.events.findLast((one) => one.type === 'error')
  const reason = problem?.type === 'error' ? problem.message : 'the run ended before the call'
  return answer(turn, { kind: 'failed', reason })
}
