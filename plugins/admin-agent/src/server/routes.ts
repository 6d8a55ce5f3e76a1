import { failure, type Agent, type RouteContext, type RouteHandler } from '@amodal/sdk'
import type { ChatTurns } from '@amodal/plugin-chat/tokens'
import { crashed, describeRoutes, endpoint, failed } from '@amodal/plugin-http/tokens'
import { Hono } from 'hono'
import type { ChangeBook } from '../repo/change-book.ts'
import type { RightsComparison } from '../rights/rights-comparison.ts'
import { adminState } from '../session/admin-session.ts'
import { changeRoutes } from './changes.ts'
import { fileRoutes } from './files.ts'
import { deciderOf } from './local.ts'
import type { RelatedEvals } from './related-evals.ts'
import { secretRoutes } from './secrets.ts'
import { ROUTE_DOCS } from './route-docs.ts'

/** Where the routes are mounted. */
export const PREFIXES = ['/config', '/api/files', '/api/secrets'] as const

export interface RouteParts {
  readonly agent: Agent
  readonly book: ChangeBook
  readonly related: RelatedEvals
  readonly rights: RightsComparison
  readonly turns: ChatTurns
}

/** The routes of the admin agent. */
export function adminRoutes({ agent, book, related, rights, turns }: RouteParts): RouteHandler {
  const app = new Hono<{ Bindings: RouteContext }>()
  describeRoutes(app, ROUTE_DOCS)
  endpoint(app, '/config', {
    GET: () => new Response(null, { status: 302, headers: { location: '/#/configure' } }),
  })
  endpoint(app, '/config/chat', {
    POST: ({ env, req }) => {
      const decider = deciderOf(env)
      if (!decider.ok) return failed(decider.error)
      return turns.send(env, req.raw, adminState(), 'admin')
    },
  })
  changeRoutes(app, { book, related, rights })
  fileRoutes(app, book)
  secretRoutes(app, agent, () => book.repo.root)
  app.notFound(() => failed(failure('NOT_FOUND', 'there is nothing at this path')))
  app.onError(crashed)
  return app
}
