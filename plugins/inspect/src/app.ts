import { failure, inspectionOf, toMermaid, toText, type Agent, type Generation, type Inspection, type Inspector, type RouteContext, type RouteHandler } from '@amodal/sdk'
import { crashed, endpoint, failed } from '@amodal/plugin-http/tokens'
import { Hono } from 'hono'
import { contextReport } from './context-report.ts'
import { healthOf } from './health.ts'

export interface Inspected {
  readonly agent: Agent
  readonly inspector: Inspector
  readonly generation: () => Generation
  readonly uptimeMs: () => number
}

export function createRoutes({ agent, inspector, generation, uptimeMs }: Inspected): RouteHandler {
  /** A failure of a plugin may speak of anybody's data, so a credential of one tenant is not told. */
  const wiring = ({ identity }: RouteContext): Inspection => {
    const inspection = inspectionOf(inspector)
    return identity?.tenant === undefined ? inspection : { ...inspection, errors: [] }
  }

  const app = new Hono<{ Bindings: RouteContext }>()
  endpoint(app, '/health', {
    GET({ env }) {
      const { status, body } = healthOf(agent, generation(), uptimeMs())
      return Response.json(env.identity ? body : { status }, status === 'starting' ? { status: 503, headers: { 'retry-after': '1' } } : {})
    },
  })
  endpoint(app, '/inspect/health', {
    GET({ env }) {
      const { body } = healthOf(agent, generation(), uptimeMs())
      const tenant = env.identity?.tenant
      const runs = agent.runs().filter((run) => tenant === undefined || run.tenant === tenant)
      return Response.json({ ...body, models: agent.models(), issues: agent.bundle()?.issues ?? [], runs, errors: wiring(env).errors })
    },
  })
  endpoint(app, '/inspect/context', {
    async GET({ env }) {
      const report = await contextReport(agent, generation(), env.identity?.roles ?? [], env.signal)
      return report.ok ? Response.json(report.value) : failed(report.error)
    },
  })
  endpoint(app, '/inspect/kernel', {
    GET({ req, env }) {
      switch (req.query('format') ?? 'json') {
        case 'json': return Response.json(wiring(env))
        case 'text': return new Response(toText(wiring(env)))
        case 'mermaid': return new Response(toMermaid(wiring(env)))
        default: return failed(failure('VALIDATION_ERROR', 'format: is one of json, text, mermaid'))
      }
    },
  })
  app.notFound(() => failed(failure('NOT_FOUND', 'there is nothing at this path')))
  app.onError(crashed)
  return app
}
