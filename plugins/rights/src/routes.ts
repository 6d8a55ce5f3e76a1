import { crashed, describeRoutes, endpoint, failed } from '@amodal/plugin-http/tokens'
import {
  failure,
  LOCAL_IDENTITY,
  seenBy,
  type Agent,
  type Generation,
  type RouteContext,
  type RouteHandler,
} from '@amodal/sdk'
import { Hono } from 'hono'
import { rightsReport } from './rights-report.ts'
import { ROUTE_DOCS } from './route-docs.ts'

/** `GET /inspect/rights`: whoever has not the whole agent is told of their own roles alone. */
export function createRoutes(agent: () => Agent, generation: () => Generation): RouteHandler {
  const app = new Hono<{ Bindings: RouteContext }>()
  describeRoutes(app, ROUTE_DOCS)
  endpoint(app, '/inspect/rights', {
    async GET({ env }) {
      const bundle = agent().bundle()
      if (!bundle) return Response.json({ subjects: [] }) // no files are loaded yet
      const roles = env.identity?.roles ?? []
      // the person of this machine has the files themselves
      const isOwner = env.identity?.principal === LOCAL_IDENTITY.principal
      const hasWhole = isOwner || seenBy(bundle, roles, generation().scope) === bundle
      return Response.json(await rightsReport(bundle, generation(), hasWhole ? undefined : roles))
    },
  })
  app.notFound(() => failed(failure('NOT_FOUND', 'there is nothing at this path')))
  app.onError(crashed)
  return app
}
