import {
  err,
  failure,
  ok,
  type Failure,
  type Result,
  type RouteContext,
  type RouteHandler,
} from '@amodal/sdk'
import { crashed, describeRoutes, endpoint, failed, readJson } from '@amodal/plugin-http/tokens'
import { Hono } from 'hono'
import type { PersonTokens } from './person-tokens.ts'
import { planToken, TokenRequest } from './token-request.ts'
import { ROUTE_DOCS } from './route-docs.ts'

/** What signs tokens; `ENV_NOT_SET` where no secret is known. */
export type Signer = () => Promise<Result<PersonTokens, Failure>>

/**
 * `POST /auth/tokens`: a short-lived token for a person whom the caller, a backend, has signed in.
 * What runs in a page never has the key of the backend.
 */
export function tokenRoute(signer: Signer, now: () => number): RouteHandler {
  const app = new Hono<{ Bindings: RouteContext }>()
  describeRoutes(app, ROUTE_DOCS)
  endpoint(app, '/auth/tokens', {
    POST: async ({ req, env }) => {
      const answer = await grant(req.raw, env, signer, now)
      return answer.ok
        ? Response.json(answer.value, { status: 201, headers: { 'cache-control': 'no-store' } })
        : failed(answer.error)
    },
  })
  app.onError(crashed)
  return app
}

async function grant(
  request: Request,
  { identity, caller }: RouteContext,
  signer: Signer,
  now: () => number,
): Promise<Result<object, Failure>> {
  const body = await readJson(request, TokenRequest)
  if (!body.ok) return body
  if (!identity) return err(failure('UNAUTHENTICATED', 'this needs the key of a backend'))
  const on = caller(body.value.scope_id)
  if (!on.ok) return on
  const plan = planToken(body.value, identity, on.value)
  if (!plan.ok) return plan
  const tokens = await signer()
  if (!tokens.ok) return tokens
  const { claims, minutes } = plan.value
  const expires = Math.floor(now() / 1_000) + minutes * 60
  return ok({
    token: await tokens.value.sign(claims, expires),
    expires_at: new Date(expires * 1_000).toISOString(),
    principal: `person:${claims.sub}`,
  })
}
