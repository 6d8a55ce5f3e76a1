import { failure, inspectionOf, toMermaid, toText, type Agent, type Generation, type Inspector, type RouteContext, type RouteHandler } from '@amodal/sdk'
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
  const app = new Hono<{ Bindings: RouteContext }>()
  endpoint(app, '/health', {
    GET() {
      const { status, body } = healthOf(agent, generation(), uptimeMs())
      return Response.json(body, status === 'starting' ? { status: 503, headers: { 'retry-after': '1' } } : {})
    },
  })
  endpoint(app, '/inspect/health', {
    GET() {
      const { body } = healthOf(agent, generation(), uptimeMs())
      return Response.json({ ...body, models: agent.models(), issues: agent.bundle()?.issues ?? [], runs: agent.runs(), errors: inspectionOf(inspector).errors })
    },
  })
  endpoint(app, '/inspect/context', {
    async GET({ env }) {
      const report = await contextReport(agent, env.signal)
      return report.ok ? Response.json(report.value) : failed(report.error)
    },
  })
  endpoint(app, '/inspect/kernel', {
    GET({ req }) {
      switch (req.query('format') ?? 'json') {
        case 'json': return Response.json(inspectionOf(inspector))
        case 'text': return new Response(toText(inspectionOf(inspector)))
        case 'mermaid': return new Response(toMermaid(inspectionOf(inspector)))
        default: return failed(failure('VALIDATION_ERROR', 'format: is one of json, text, mermaid'))
      }
    },
  })
  app.notFound(() => failed(failure('NOT_FOUND', 'there is nothing at this path')))
  app.onError(crashed)
  return app
}
