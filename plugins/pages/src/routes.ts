import {
  failure,
  truncateLine,
  type Caller,
  type Logger,
  type Result,
  type Failure,
  type RouteContext,
  type RouteHandler,
} from '@amodal/sdk'
import { titleOf } from '@amodal/sdk/files'
import { crashed, describeRoutes, endpoint, failed, readJson } from '@amodal/plugin-http/tokens'
import type { StoreAccess } from '@amodal/plugin-stores/tokens'
import { Hono } from 'hono'
import type { Catalogue } from './catalogue.ts'
import { StoreUndeclared } from './errors.ts'
import type { Frame } from './frame.ts'
import { placeOf } from './runtime-errors.ts'
import type { EntityPage, PageList } from './protocol.ts'
import { ROUTE_DOCS } from './route-docs.ts'
import { Report } from './page-requests.ts'

export interface RoutesParts {
  readonly catalogue: Catalogue
  readonly stores: StoreAccess | undefined
  readonly frame: () => Promise<Frame>
  readonly log: Logger
  /** Whether one more error of a page is logged. */
  readonly mayLog: () => boolean
}

/** Characters of an error that are logged. */
const MESSAGE_CHARS = 500

/** `/api/pages`: the list, documents of declared stores, and errors that pages report. */
export function pageRoutes(parts: RoutesParts): RouteHandler {
  const { catalogue } = parts
  const app = new Hono<{ Bindings: RouteContext }>()
  describeRoutes(app, ROUTE_DOCS)
  endpoint(app, '/api/pages', {
    GET: ({ env }) => withCaller(env, async (caller) => Response.json(await listOf(parts, caller))),
  })
  endpoint(app, '/api/pages/:name', {
    GET: ({ req, env }) =>
      withCaller(env, () => {
        const page = catalogue.infos().find(({ name }) => name === req.param('name'))
        return page ? Response.json({ page }) : noPage(req.param('name'))
      }),
  })
  endpoint(app, '/api/pages/:name/stores/:store', {
    GET: ({ req, env }) => readStore(parts, req.raw, env, req.param()),
  })
  endpoint(app, '/api/pages/:name/stores/:store/:key', {
    GET: ({ req, env }) => readStore(parts, req.raw, env, req.param()),
  })
  endpoint(app, '/api/pages/:name/errors', {
    POST: ({ req, env }) => withCaller(env, () => reportError(parts, req.raw, req.param('name'))),
  })
  app.notFound(() => failed(failure('NOT_FOUND', 'there is nothing at this path')))
  app.onError(crashed)
  return app
}

const noPage = (name: string): Response =>
  failed(failure('NOT_FOUND', `there is no page "${name}"`))

function withCaller(
  context: RouteContext,
  work: (caller: Caller) => Response | Promise<Response>,
): Response | Promise<Response> {
  const caller: Result<Caller, Failure> = context.caller()
  return caller.ok ? work(caller.value) : failed(caller.error)
}

async function listOf(
  { catalogue, stores, frame }: RoutesParts,
  caller: Caller,
): Promise<PageList> {
  const pages = catalogue.infos()
  const { path } = await frame()
  const entities = (stores?.readableBy(caller) ?? []).map(({ name, entity }): EntityPage => ({
    store: name,
    title: titleOf(name),
    fields: Object.entries(entity.schema).map(([field, { type }]) => ({ name: field, type })),
  }))
  return {
    pages,
    entities,
    frame: path,
    problems: catalogue.otherProblems(),
  }
}

interface Place {
  readonly name: string
  readonly store: string
  readonly key?: string
}

/**
 * Documents for a page: what it does not declare is refused, and what it declares is read with the
 * rights and for the tenant of the principal who looks at it.
 */
function readStore(
  { catalogue, stores }: RoutesParts,
  request: Request,
  context: RouteContext,
  { name, store, key }: Place,
): Response | Promise<Response> {
  const page = catalogue.page(name)
  if (!page) return noPage(name)
  if (!page.stores.includes(store))
    return failed(
      StoreUndeclared(
        `the page "${name}" does not declare the store "${store}": add it to \`stores\` in ${page.file}`,
      ),
    )
  if (!stores) return failed(failure('NOT_FOUND', `there is no store "${store}"`))
  const url = new URL(request.url)
  if (url.searchParams.has('scope_id'))
    return failed(
      failure('VALIDATION_ERROR', 'scope_id: a page names no tenant; send the header X-Scope-Id'),
    )
  const document = key === undefined ? '' : `/${encodeURIComponent(key)}`
  url.pathname = `/api/stores/${encodeURIComponent(store)}${document}`
  return stores.routes.fetch(new Request(url, { method: 'GET', headers: request.headers }), context)
}

/** An error of a page that somebody looks at: with the line of its file, for them and the log. */
async function reportError(
  { catalogue, log, mayLog }: RoutesParts,
  request: Request,
  name: string,
): Promise<Response> {
  const page = catalogue.page(name)
  if (!page) return noPage(name)
  const report = await readJson(request, Report)
  if (!report.ok) return failed(report.error)
  const { message, stack } = report.value
  const place = await placeOf(stack, (hash) => catalogue.script(hash))
  if (mayLog())
    log.error('page.failed', {
      page: name,
      file: place.file ?? page.file,
      ...(place.line !== undefined && { line: place.line }),
      message: truncateLine(message, MESSAGE_CHARS),
    })
  return Response.json({ problem: { message, ...place } })
}
