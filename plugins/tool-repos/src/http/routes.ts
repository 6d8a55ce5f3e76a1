import {
  err,
  failure,
  ok,
  type Failure,
  type Result,
  type RouteContext,
  type RouteHandler,
} from '@amodal/sdk'
import { crashed, describeRoutes, endpoint, failed, mayUse } from '@amodal/plugin-http/tokens'
import { Hono } from 'hono'
import type { RepoSource } from '../tokens.ts'
import type { GitBody, GitRequest, GitService, ServiceName } from './git-service.ts'
import { ROUTE_DOCS } from './route-docs.ts'

export const PREFIX = '/v1/:org/tool/git'
/** The permission `Tool:AccessRepo`. */
export const SCOPE = 'tools:repo'

const REPO = /^\w[\w.-]{0,99}$/
const MAIN = /^main(?:\.git)?$/
const CHALLENGE = 'Basic realm="amodal", charset="UTF-8"'

/** How programs such as git are asked for a credential. A browser would show a dialog. */
export const challenge = (request: Request): string =>
  request.headers.has('sec-fetch-site') ? '' : CHALLENGE

interface Place {
  readonly org: string
  readonly repo: string
  readonly request: Request
  readonly context: RouteContext
}

/** The repositories of tools, as git reaches them over HTTP. */
export function gitRoutes(service: GitService): RouteHandler {
  const app = new Hono<{ Bindings: RouteContext }>()
  describeRoutes(app, ROUTE_DOCS)
  const base = `${PREFIX}/:repo` as const
  endpoint(app, `${base}/info/refs`, {
    GET: async ({ req, env }) => {
      const name = serviceOf(req.query('service'))
      if (!name.ok) return failed(name.error)
      const place = { ...req.param(), request: req.raw, context: env }
      return answer(place, name.value, 'advertisement', (request) =>
        service.advertise(name.value, request),
      )
    },
  })
  endpoint(app, `${base}/git-upload-pack`, {
    POST: ({ req, env }) =>
      answer(
        { ...req.param(), request: req.raw, context: env },
        'git-upload-pack',
        'result',
        (request) => service.uploadPack(request),
      ),
  })
  endpoint(app, `${base}/git-receive-pack`, {
    POST: ({ req, env }) =>
      answer(
        { ...req.param(), request: req.raw, context: env },
        'git-receive-pack',
        'result',
        (request) => service.receivePack(request),
      ),
  })
  app.notFound(() => failed(failure('NOT_FOUND', 'there is nothing at this path')))
  app.onError(crashed)
  return app
}

function serviceOf(text: string | undefined): Result<ServiceName, Failure> {
  return text === 'git-upload-pack' || text === 'git-receive-pack'
    ? ok(text)
    : err(
        failure(
          'VALIDATION_ERROR',
          'service: must be git-upload-pack or git-receive-pack; use git 2.18 or newer',
        ),
      )
}

async function answer(
  place: Place,
  service: ServiceName,
  form: 'advertisement' | 'result',
  work: (request: GitRequest) => Promise<Result<GitBody, Failure>>,
): Promise<Response> {
  const source = sourceOf(place, service)
  if (!source.ok) return failed(source.error, headersOf(source.error))
  const { request, context } = place
  // A page can send a form to another server without asking; it cannot send one of this type.
  if (
    form === 'result' &&
    request.headers.get('content-type') !== `application/x-${service}-request`
  )
    return failed(failure('UNSUPPORTED_MEDIA', `the body must be application/x-${service}-request`))
  const done = await work({
    source: source.value,
    body: request.body,
    isVersion2: /(?:^|:)version=2(?:$|:)/.test(request.headers.get('git-protocol') ?? ''),
    signal: context.signal,
  })
  if (!done.ok) return failed(done.error)
  return new Response(done.value, {
    headers: {
      'content-type': `application/x-${service}-${form}`,
      'cache-control': 'no-cache, max-age=0, must-revalidate',
    },
  })
}

/** Which repository a request is about, if its caller may do that. */
function sourceOf(
  { org, repo, context }: Place,
  service: ServiceName,
): Result<RepoSource, Failure> {
  const caller = context.caller(org)
  if (!caller.ok) return caller
  if (!REPO.test(repo)) return err(failure('NOT_FOUND', 'there is nothing at this path'))
  const source: RepoSource = {
    tenant: caller.value.tenant,
    repo: MAIN.test(repo) ? 'main' : 'team',
  }
  if (service === 'git-upload-pack') return ok(source)
  const { identity } = context
  if (identity?.mayNotDecide !== undefined)
    return err(failure('UNAUTHENTICATED', identity.mayNotDecide))
  const isShared = source.repo === 'main'
  if (isShared && (!identity || identity.tenant !== undefined || !mayUse(identity, 'admin')))
    return err(
      failure(
        'FORBIDDEN_SCOPE',
        'the repository "main" belongs to all tenants: pushing to it needs the scope "admin" and a credential that is not of one tenant',
        { details: { scope: 'admin' } },
      ),
    )
  return ok(source)
}

const headersOf = ({ code }: Failure): Readonly<Record<string, string>> =>
  code === 'UNAUTHENTICATED' ? { 'www-authenticate': CHALLENGE } : {}
