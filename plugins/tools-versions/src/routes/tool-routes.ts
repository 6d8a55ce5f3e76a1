import {
  err,
  failure,
  type Caller,
  type Failure,
  type Result,
  type RouteContext,
  type RouteHandler,
} from '@amodal/sdk'
import { crashed, describeRoutes, endpoint, failed, readJson } from '@amodal/plugin-http/tokens'
import { Hono, type Context } from 'hono'
import { ARCHIVE, scaffoldArchive } from '../scaffold/files.ts'
import type { ToolService } from '../tool-service.ts'
import { parseConstraint } from '../versions.ts'
import {
  CreateTool,
  historyFilter,
  inputOf,
  InvokeVersion,
  ListInvocations,
  ListTools,
  ListVersions,
  PublishVersion,
  readQuery,
  SearchInvocations,
  SetVariable,
  TestTool,
  toolFilter,
  UpdateTool,
  versionFilter,
  windowOf,
} from './requests.ts'
import {
  invocationView,
  pagingOf,
  resultView,
  testView,
  toolView,
  variableView,
  versionView,
} from './responses.ts'
import { ROUTE_DOCS } from './route-docs.ts'

export const PREFIX = '/v1/:org/tool'

type Env = { Bindings: RouteContext }
type Answer = Response | Promise<Response>

/** What a handler of a route gets. */
interface Call {
  readonly caller: Caller
  readonly request: Request
  readonly signal: AbortSignal
  /** A parameter of the path. */
  readonly param: (name: string) => string
}
type Handler = (call: Call) => Answer

/** `/v1/:org/tool` and what lies below it. */
export function toolRoutes(service: ToolService): RouteHandler {
  const app = new Hono<Env>({ strict: false })
  describeRoutes(app, ROUTE_DOCS)
  // fixed names before `:tool_id`: no id of a tool is one of them
  endpoint(app, `${PREFIX}/test`, { POST: write((call) => test(service, call)) })
  endpoint(app, `${PREFIX}/${ARCHIVE}`, { GET: read(() => scaffold()) })
  endpoint(app, `${PREFIX}/invocation`, { GET: read((call) => invocations(service, call)) })
  endpoint(app, `${PREFIX}/invocation/search`, { GET: read((call) => search(service, call)) })
  endpoint(app, PREFIX, {
    GET: read((call) => tools(service, call)),
    POST: write((call) => create(service, call)),
  })
  endpoint(app, `${PREFIX}/:tool_id`, {
    POST: write((call) => update(service, call)),
    DELETE: write(async ({ caller, param, signal }) =>
      emptied(await service.deprecate(caller, param('tool_id'), undefined, signal)),
    ),
  })
  endpoint(app, `${PREFIX}/:tool_id/envvar`, {
    GET: write((call) => variables(service, call)),
    POST: write((call) => setVariable(service, call)),
  })
  endpoint(app, `${PREFIX}/:tool_id/envvar/:name`, {
    DELETE: write(async ({ caller, param, signal }) =>
      emptied(await service.removeVariable(caller, param('tool_id'), param('name'), signal)),
    ),
  })
  endpoint(app, `${PREFIX}/:tool_id/version`, {
    GET: read((call) => versions(service, call)),
    POST: write((call) => publish(service, call)),
  })
  endpoint(app, `${PREFIX}/:tool_id/version/:versions`, {
    DELETE: write((call) => deprecate(service, call)),
  })
  endpoint(app, `${PREFIX}/:tool_id/version/:version/invoke`, {
    POST: read((call) => invoke(service, call)),
  })
  app.notFound(() => failed(failure('NOT_FOUND', 'there is nothing at this path')))
  app.onError(crashed)
  return app
}

/** For every caller of the organization. */
const read = (handle: Handler) => (c: Context<Env>) => {
  const caller = callerOf(c)
  return caller.ok
    ? handle({
        caller: caller.value,
        request: c.req.raw,
        signal: c.env.signal,
        param: (name) => c.req.param(name) ?? '',
      })
    : failed(caller.error)
}

/** Not for a person of a web page, nor for a program that cannot read the server's files. */
const write = (handle: Handler) =>
  read((call) => {
    const { mayNotDecide, ownSessionsOnly } = call.caller
    if (mayNotDecide !== undefined) return failed(failure('UNAUTHENTICATED', mayNotDecide))
    if (ownSessionsOnly === true)
      return failed(
        failure('FORBIDDEN_SCOPE', 'this credential is of one person, and tools are of all', {
          details: { scope: 'tools' },
        }),
      )
    return handle(call)
  })

/** The organization is the tenant of the caller; of another one nothing is known. */
function callerOf(c: Context<Env>): Result<Caller, Failure> {
  const org = c.req.param('org') ?? ''
  const caller = c.env.caller(org)
  if (!caller.ok) return caller
  return caller.value.tenant === org
    ? caller
    : err(failure('NOT_FOUND', 'there is no such organization'))
}

const emptied = (done: Result<void, Failure>): Response =>
  done.ok ? new Response(null, { status: 204 }) : failed(done.error)

const shown = <T>(result: Result<T, Failure>, view: (value: T) => object, status = 200): Response =>
  result.ok ? Response.json(view(result.value), { status }) : failed(result.error)

/** The same bytes each time. */
async function scaffold(): Promise<Response> {
  return new Response(new Uint8Array(await scaffoldArchive()), {
    headers: {
      'content-type': 'application/gzip',
      'content-disposition': `attachment; filename="${ARCHIVE}"`,
    },
  })
}

async function create(service: ToolService, { caller, request, signal }: Call): Promise<Response> {
  const body = await readJson(request, CreateTool)
  if (!body.ok) return failed(body.error)
  return shown(await service.create(caller, body.value, signal), toolView, 201)
}

async function update(service: ToolService, call: Call): Promise<Response> {
  const { caller, request, param, signal } = call
  const body = await readJson(request, UpdateTool)
  if (!body.ok) return failed(body.error)
  return shown(await service.update(caller, param('tool_id'), body.value, signal), toolView)
}

async function tools(service: ToolService, { caller, request, signal }: Call): Promise<Response> {
  const query = readQuery(request.url, ListTools, ['id', 'tag', 'sort_by'])
  if (!query.ok) return failed(query.error)
  const filter = toolFilter(query.value)
  if (!filter.ok) return failed(filter.error)
  const window = windowOf(query.value)
  return shown(await service.list(caller, filter.value, window, signal), (page) => ({
    tools: page.items.map(toolView),
    ...pagingOf(page, window.offset),
  }))
}

async function variables(service: ToolService, { caller, param, signal }: Call): Promise<Response> {
  return shown(await service.variables(caller, param('tool_id'), signal), (found) => ({
    env_vars: found.map(variableView),
  }))
}

async function setVariable(service: ToolService, call: Call): Promise<Response> {
  const { caller, request, param, signal } = call
  const body = await readJson(request, SetVariable)
  if (!body.ok) return failed(body.error)
  const stored = await service.setVariable(caller, param('tool_id'), body.value, signal)
  return shown(stored, variableView)
}

async function test(service: ToolService, { caller, request, signal }: Call): Promise<Response> {
  const body = await readJson(request, TestTool)
  if (!body.ok) return failed(body.error)
  const { tool_id: tool, inputs, ...branch } = body.value
  return shown(await service.test(caller, tool, branch, inputs.map(inputOf), signal), testView)
}

async function publish(service: ToolService, call: Call): Promise<Response> {
  const { caller, request, param, signal } = call
  const body = await readJson(request, PublishVersion)
  if (!body.ok) return failed(body.error)
  const { bump, ...branch } = body.value
  const published = await service.publish(caller, param('tool_id'), branch, bump, signal)
  return shown(published, versionView, 201)
}

async function versions(service: ToolService, call: Call): Promise<Response> {
  const { caller, request, param, signal } = call
  const query = readQuery(request.url, ListVersions, ['creator', 'sort_by'])
  if (!query.ok) return failed(query.error)
  const filter = versionFilter(query.value, caller.tenant)
  if (!filter.ok) return failed(filter.error)
  const window = windowOf(query.value)
  const found = await service.versions(caller, param('tool_id'), filter.value, window, signal)
  return shown(found, (page) => ({
    versions: page.items.map(versionView),
    ...pagingOf(page, window.offset),
  }))
}

async function deprecate(service: ToolService, { caller, param, signal }: Call): Promise<Response> {
  const constraint = parseConstraint(param('versions'))
  if (!constraint.ok) return failed(constraint.error)
  return emptied(await service.deprecate(caller, param('tool_id'), constraint.value, signal))
}

async function invoke(service: ToolService, call: Call): Promise<Response> {
  const { caller, request, param, signal } = call
  const body = await readJson(request, InvokeVersion)
  if (!body.ok) return failed(body.error)
  const inputs = body.value.inputs.map(inputOf)
  const results = await service.invoke(caller, param('tool_id'), param('version'), inputs, signal)
  return shown(results, (all) => ({ results: all.map(resultView) }))
}

async function invocations(service: ToolService, call: Call): Promise<Response> {
  const query = readQuery(call.request.url, ListInvocations)
  return query.ok ? history(service, call, query.value, undefined) : failed(query.error)
}

async function search(service: ToolService, call: Call): Promise<Response> {
  const query = readQuery(call.request.url, SearchInvocations)
  return query.ok ? history(service, call, query.value, query.value.query) : failed(query.error)
}

async function history(
  service: ToolService,
  { caller, signal }: Call,
  query: Parameters<typeof historyFilter>[0],
  words: string | undefined,
): Promise<Response> {
  const filter = historyFilter(query)
  if (!filter.ok) return failed(filter.error)
  const window = windowOf(query)
  return shown(await service.history(caller, words, filter.value, window, signal), (page) => ({
    invocations: page.items.map(invocationView),
    ...pagingOf(page, window.offset),
  }))
}
