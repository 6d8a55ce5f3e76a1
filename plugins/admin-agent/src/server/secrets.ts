import { failure, ok, type Agent, type RouteContext } from '@amodal/sdk'
import { assignInEnvFile } from '@amodal/sdk/files'
import { endpoint, failed, readJson } from '@amodal/plugin-http/tokens'
import type { Hono } from 'hono'
import { z } from 'zod'
import { deciderOf, localOnly } from './local.ts'

type App = Hono<{ Bindings: RouteContext }>

export const Value = z.strictObject({ value: z.string().max(20_000) })
const NAME = /^[A-Za-z_]\w{0,99}$/

/** `/api/secrets`: which secrets the agent refers to, and their values in `.env`; none is shown. */
export function secretRoutes(app: App, agent: Agent, root: () => string): void {
  endpoint(app, '/api/secrets', {
    GET: ({ env }) => {
      const foreign = localOnly(env)
      if (foreign) return failed(foreign)
      const references = agent.bundle()?.references ?? []
      return Response.json({
        secrets: references.map(({ name, set, where }) => ({ name, set, where })),
      })
    },
  })
  endpoint(app, '/api/secrets/:name', {
    GET: ({ env, req }) => {
      const foreign = localOnly(env)
      if (foreign) return failed(foreign)
      const name = req.param('name')
      const reference = agent.bundle()?.references.find((one) => one.name === name)
      return Response.json({
        name,
        set: reference?.set ?? false,
        referenced: reference !== undefined,
      })
    },
    PUT: async ({ env, req }) => {
      const body = await readJson(req.raw, Value)
      return body.ok ? stored(env, root(), req.param('name'), body.value.value) : failed(body.error)
    },
    DELETE: ({ env, req }) => stored(env, root(), req.param('name'), undefined),
  })
}

function stored(
  env: RouteContext,
  root: string,
  name: string,
  value: string | undefined,
): Response {
  const decider = deciderOf(env)
  if (!decider.ok) return failed(decider.error)
  if (!NAME.test(name))
    return failed(failure('VALIDATION_ERROR', 'a secret has a name such as TICKETS_TOKEN'))
  const written = assignInEnvFile(root, name, value)
  return written.ok
    ? Response.json(ok({ name, set: value !== undefined }).value)
    : failed(failure('VALIDATION_ERROR', written.error))
}
