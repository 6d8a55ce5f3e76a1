import {
  Agent,
  err,
  failure,
  ok,
  seenBy,
  type AgentBundle,
  type Failure,
  type Generation,
  type Result,
  type RouteContext,
  type RouteHandler,
} from '@amodal/sdk'
import {
  crashed,
  describeRoutes,
  endpoint,
  failed,
  isLoopback,
  readJson,
} from '@amodal/plugin-http/tokens'
import { Hono } from 'hono'
import { z } from 'zod'
import type { ConnectionLogins } from './connection-logins.ts'
import { ROUTE_DOCS } from './route-docs.ts'
import { beginning, returning } from './login-requests.ts'

export const CONNECTIONS = '/connections'
export const CALLBACK = `${CONNECTIONS}/callback`
export const CLIENT_METADATA = `${CONNECTIONS}/client-metadata.json`

interface Parts {
  readonly logins: ConnectionLogins
  readonly generation: () => Generation
  readonly publicUrl: string | undefined
}

/**
 * `POST` and `DELETE /connections/:name/login`, `POST /connections/:name/login/return`,
 * `GET /connections/callback`: signing in to MCP servers.
 */
export function connectionRoutes({ logins, generation, publicUrl }: Parts): RouteHandler {
  const app = new Hono<{ Bindings: RouteContext }>()
  describeRoutes(app, ROUTE_DOCS)
  const seen = ({ identity }: RouteContext): AgentBundle | undefined => {
    const { scope } = generation()
    const bundle = scope.get(Agent).bundle()
    return bundle && seenBy(bundle, identity?.roles ?? [], scope)
  }
  endpoint(app, `${CONNECTIONS}/:name/login`, {
    async POST({ req, env }) {
      const bundle = seen(env)
      if (!bundle) return failed(NOT_READY)
      const body = await readJson(req.raw, beginning)
      if (!body.ok) return failed(body.error)
      const redirect = redirectFor(req.url, body.value.redirect_uri, publicUrl)
      if (!redirect.ok) return failed(redirect.error)
      const begun = await logins.begin(bundle, req.param('name'), {
        redirectUrl: redirect.value,
        clientMetadataUrl: clientMetadataUrl(publicUrl),
        by: env.identity?.principal ?? 'unknown',
      })
      if (!begun.ok) return failed(begun.error)
      const { url, expiresInSeconds } = begun.value
      return Response.json({ url, redirect_uri: redirect.value, expires_in: expiresInSeconds })
    },
    async DELETE({ req, env }) {
      const bundle = seen(env)
      if (!bundle) return failed(NOT_READY)
      const by = env.identity?.principal ?? 'unknown'
      const removed = await logins.remove(bundle, req.param('name'), by)
      return removed.ok ? new Response(null, { status: 204 }) : failed(removed.error)
    },
  })
  endpoint(app, `${CONNECTIONS}/:name/login/return`, {
    async POST({ req, env }) {
      const bundle = seen(env)
      if (!bundle) return failed(NOT_READY)
      const body = await readJson(req.raw, returning)
      if (!body.ok) return failed(body.error)
      const done = await logins.finish(bundle, new URLSearchParams(body.value.query))
      return done.ok ? Response.json(done.value) : failed(done.error)
    },
  })
  app.notFound(() => failed(failure('NOT_FOUND', 'there is nothing at this path')))
  app.onError(crashed)
  return app
}

/**
 * Where browsers come back to. It is open: what makes it safe is `state`, which is a secret that is
 * good for one return.
 */
export function callbackRoute({ logins, generation }: Omit<Parts, 'publicUrl'>): RouteHandler {
  return describeRoutes(
    {
      async fetch(request) {
        if (request.method !== 'GET')
          return failed(failure('NOT_ALLOWED', `${request.method} is not offered here; GET is`), {
            allow: 'GET',
          })
        const bundle = generation().scope.get(Agent).bundle()
        if (!bundle) return failed(NOT_READY)
        const done = await logins.finish(bundle, new URL(request.url).searchParams)
        return done.ok
          ? page(200, 'You are signed in. You can close this page.')
          : page(
              done.error.code === 'NOT_FOUND' ? 404 : 502,
              `You are not signed in. ${done.error.message}`,
            )
      },
    },
    {
      [`GET ${CALLBACK}`]: {
        summary: 'where browsers come back to from an authorization server',
        query: z.object({
          state: z.string().optional(),
          code: z.string().optional(),
          error: z.string().optional(),
        }),
        responses: { 200: { about: 'Somebody is signed in.', types: ['text/html'] } },
        errorForm: { about: 'A page that says why the login has failed.' },
      },
    },
  )
}

/** A client metadata document: the address is the id of this client, where a server takes that. */
export function clientMetadataRoute(publicUrl: string): RouteHandler {
  return describeRoutes(
    {
      fetch: () =>
        Response.json({
          client_id: clientMetadataUrl(publicUrl),
          client_name: 'Amodal',
          client_uri: publicUrl,
          redirect_uris: [new URL(CALLBACK, publicUrl).href, LOOPBACK],
          grant_types: ['authorization_code', 'refresh_token'],
          response_types: ['code'],
          token_endpoint_auth_method: 'none',
        }),
    },
    {
      [`GET ${CLIENT_METADATA}`]: {
        summary: 'for authorization servers: who this client is',
        responses: {
          200: { about: 'The metadata.', body: z.looseObject({ client_id: z.string() }) },
        },
      },
    },
  )
}

/** Any port of it: the command line listens on one that is free (RFC 8252, 7.3). */
const LOOPBACK = 'http://127.0.0.1/callback'
const NOT_READY = failure('NOT_FOUND', "the agent's files are not read yet")

/** Servers take a document at an https address only. */
export const clientMetadataUrl = (publicUrl: string | undefined): string | undefined =>
  publicUrl !== undefined && URL.parse(publicUrl)?.protocol === 'https:'
    ? new URL(CLIENT_METADATA, publicUrl).href
    : undefined

function redirectFor(
  requestUrl: string,
  asked: string | undefined,
  publicUrl: string | undefined,
): Result<string, Failure> {
  if (asked !== undefined) {
    const url = URL.parse(asked)
    return url?.protocol === 'http:' && isLoopback(url.hostname)
      ? ok(url.href)
      : err(
          failure(
            'VALIDATION_ERROR',
            'redirect_uri: only an http address of the own machine, such as http://127.0.0.1:49152/callback',
          ),
        )
  }
  const own = new URL(CALLBACK, publicUrl ?? requestUrl)
  return publicUrl !== undefined || isLoopback(own.hostname)
    ? ok(own.href)
    : err(
        failure(
          'BAD_CONFIG',
          '`publicUrl` of connect-mcp is not set: where do browsers reach this server?',
        ),
      )
}

/** Text only: some of it may be a stranger's. */
const page = (status: number, text: string): Response =>
  new Response(`${text}\n`, {
    status,
    headers: {
      'content-type': 'text/plain; charset=utf-8',
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
    },
  })
