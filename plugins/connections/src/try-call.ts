import {
  err,
  failure,
  isObject,
  ok,
  redact,
  seenBy,
  type Agent,
  type AgentEvent,
  type Caller,
  type Connection,
  type Failure,
  type Generation,
  type JsonObject,
  type PendingAsk,
  type RequestLimiter,
  type Result,
  type RouteContext,
  type RouteHandler,
} from '@amodal/sdk'
import { statusOf } from '@amodal/sdk/wire'
import { connectionsOf } from '@amodal/sdk/connections'
import { newKey } from '@amodal/sdk/loop'
import { listedKey } from '@amodal/plugin-compaction/tokens'
import {
  crashed,
  describeRoutes,
  endpoint,
  failed,
  idempotencyKeyOf,
  rateLimited,
  readJson,
} from '@amodal/plugin-http/tokens'
import { callDirectly, type Turn } from '@amodal/plugin-loop/tokens'
import { Hono } from 'hono'
import type { z } from 'zod'
import { TRY_DOCS } from './try-docs.ts'
import { TryRequest } from './try-request.ts'

/** Where the call stands in the state of its session. */
export const TRY_STATE = 'connections'
export const TRY_ROUTE = '/api/connections'
/** The tool that calls HTTP connections. */
const REQUEST = 'request'
/** Characters of an endpoint in the title of the session. */
const MOST_TITLE = 120

type TryFields = z.output<typeof TryRequest>

export interface TryParts {
  readonly agent: Agent
  readonly generation: () => Generation
  readonly limiter: RequestLimiter | undefined
}

/**
 * `POST /api/connections/:name/try`: calls one operation as the model would, in a session of its
 * own. The same `Idempotency-Key` is the same call: sent again after its question was answered, it
 * gives the outcome.
 */
export function tryRoutes(parts: TryParts): RouteHandler {
  const app = new Hono<{ Bindings: RouteContext }>()
  describeRoutes(app, TRY_DOCS)
  endpoint(app, `${TRY_ROUTE}/:name/try`, {
    POST: ({ req, env }) => tryOut(req.param('name'), req.raw, env, parts),
  })
  app.notFound(() => failed(failure('NOT_FOUND', 'there is nothing at this path')))
  app.onError(crashed)
  return app
}

async function tryOut(
  name: string,
  request: Request,
  context: RouteContext,
  { agent, generation, limiter }: TryParts,
): Promise<Response> {
  const given = idempotencyKeyOf(request.headers)
  if (!given.ok) return failed(given.error)
  const body = await readJson(request, TryRequest)
  if (!body.ok) return failed(body.error)
  const caller = context.caller(body.value.scope_id)
  if (!caller.ok) return failed(caller.error)
  const bundle = agent.bundle()
  const seen = bundle && seenBy(bundle, caller.value.roles ?? [], generation().scope)
  const connection = seen && connectionsOf(seen).find((one) => one.name === name)
  if (!connection) return failed(failure('NOT_FOUND', 'there is no such connection'))
  const chosen = chosenCall(connection, body.value)
  if (!chosen.ok) return failed(chosen.error)
  const key = given.value ?? newKey()
  return rateLimited(limiter, caller.value, () =>
    perform(
      { agent, generation },
      caller.value,
      { ...chosen.value, connection: name, key },
      context.signal,
    ),
  )
}

interface ChosenCall {
  readonly tool: string
  readonly args: JsonObject
  /** What is called, for people. */
  readonly title: string
}

/** The call that a model would make for this request. */
function chosenCall(
  { name, protocol }: Connection,
  { endpoint: path, method, params, data, headers, tool, arguments: args }: TryFields,
): Result<ChosenCall, Failure> {
  if (protocol === 'mcp') {
    if (tool === undefined || path !== undefined)
      return invalid('tool: names a tool of this MCP server, with its `arguments`')
    // Tools of an MCP server are offered with its name before theirs.
    const known = tool.startsWith(`${name}__`) ? tool : `${name}__${tool}`
    return ok({ tool: known, args: args ?? {}, title: tool })
  }
  if (path === undefined || tool !== undefined)
    return invalid('endpoint: is a path below the address of the connection, such as /deals/42')
  const title = `${(method ?? 'GET').toUpperCase()} ${path.slice(0, MOST_TITLE)}`
  return ok({
    tool: REQUEST,
    args: {
      connection: name,
      endpoint: path,
      ...(method !== undefined && { method }),
      ...(params && { params }),
      ...(data !== undefined && { data }),
      ...(headers && { headers }),
    },
    title,
  })
}

const invalid = (message: string): Result<never, Failure> =>
  err(failure('VALIDATION_ERROR', message))

async function perform(
  { agent, generation }: Pick<TryParts, 'agent' | 'generation'>,
  caller: Caller,
  {
    args,
    connection,
    key,
    title,
    tool,
  }: ChosenCall & { readonly connection: string; readonly key: string },
  signal: AbortSignal,
): Promise<Response> {
  const client = agent.as(caller)
  const text = `Try of \`${title.replaceAll('`', "'")}\` of \`${connection}\``
  const sessionState = { [listedKey(tool)]: true }
  const called = await callDirectly(
    client,
    TRY_STATE,
    { tool, args, text, key, sessionState },
    signal,
  )
  if (!called.ok) return failed(called.error)
  const { call, turn } = called.value
  const { status, body } = shownTry(call, turn, generation())
  if (body['status'] !== 'error') return Response.json(body, { status })
  // Events have the message of a failure, and the journal its code.
  const view = await client.session(turn.session, signal)
  const outcome = view.ok
    ? view.value.entries.findLast((one) => one.kind === 'tool_outcome' && one.call === call)
    : undefined
  const code = outcome?.kind === 'tool_outcome' ? outcome.code : undefined
  return Response.json({ ...body, ...(code !== undefined && { code }) }, { status })
}

/** What came of the call, as the model has it. */
function shownTry(
  call: string,
  { done, events, pending, session }: Turn,
  generation: Generation,
): { readonly status: number; readonly body: JsonObject } {
  const begun = events.find((one) => one.type === 'tool_call_start' && one.tool_id === call)
  const common: JsonObject = {
    session_id: session,
    call_id: call,
    ...(begun?.type === 'tool_call_start' && {
      tool: begun.tool_name,
      arguments: redact(begun.parameters),
    }),
  }
  if (pending.length > 0)
    return {
      status: 202,
      body: { ...common, status: 'waiting', pending_input: pending.map(shownAsk) },
    }
  const outcome = events.findLast((one) => one.type === 'tool_call_result' && one.tool_id === call)
  if (outcome?.type === 'tool_call_result')
    return { status: 200, body: { ...common, ...outcomeOf(outcome) } }
  const problem = events.findLast((one) => one.type === 'error')
  if (problem?.type === 'error')
    return {
      status: statusOf(problem.code, generation),
      body: { ...common, error: { code: problem.code, message: problem.message } },
    }
  return { status: 200, body: { ...common, status: 'stopped', reason: done?.reason ?? null } }
}

function outcomeOf({
  duration_ms: ms,
  error,
  result,
  status,
}: Extract<AgentEvent, { type: 'tool_call_result' }>): JsonObject {
  return {
    status,
    ...(ms !== undefined && { ms }),
    ...(status === 'success'
      ? { result: result ?? '' }
      : { message: error ?? result ?? 'the call failed' }),
  }
}

/** A question as `POST /chat/sync` shows it; it is answered in the same way. */
const shownAsk = ({ call, context, expires_at, id, schema, type }: PendingAsk): JsonObject => ({
  id,
  ...(call && { tool_id: call }),
  pending_input_type: type,
  pending_input_schema: schema,
  pending_input_context: isObject(context) ? redact(context) : context,
  ...(expires_at !== undefined && { expires_at: new Date(expires_at).toISOString() }),
})
