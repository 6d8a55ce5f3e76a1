import {
  failure,
  isId,
  JobQueue,
  LOCAL_IDENTITY,
  LOCAL_TENANT,
  seenBy,
  sessionId,
  type Agent,
  type Generation,
  type Identity,
  type Inspection,
  type Inspector,
  type RouteContext,
  type RouteHandler,
} from '@amodal/sdk'
import { inspectionOf, toMermaid, toText } from '@amodal/sdk/inspection'
import { crashed, describeRoutes, endpoint, failed } from '@amodal/plugin-http/tokens'
import { RecentLog } from '@amodal/plugin-log-json/tokens'
import { Hono } from 'hono'
import { configReport } from './config-report.ts'
import { contextReport } from './context-report.ts'
import { documentReport, documentsReport, type DocumentKind } from './documents-report.ts'
import { withProblemCount, healthOf } from './health.ts'
import { logReport } from './log-report.ts'
import { queueReport } from './queue-report.ts'
import { reportOf } from './sent-calls.ts'
import type { SentModelCalls } from './tokens.ts'
import { ROUTE_DOCS } from './route-docs.ts'

export interface Inspected {
  readonly agent: Agent
  readonly inspector: Inspector
  readonly sent: SentModelCalls
  readonly generation: () => Generation
  readonly uptimeMs: () => number
}

export function createRoutes({
  agent,
  inspector,
  sent,
  generation,
  uptimeMs,
}: Inspected): RouteHandler {
  /**
   * Failures of plugins may contain data of any tenant, so a credential of one tenant gets none.
   */
  const wiring = ({ identity }: RouteContext): Inspection => {
    const inspection = inspectionOf(inspector)
    return identity?.tenant === undefined ? inspection : { ...inspection, errors: [] }
  }

  /** Whether the caller's roles cover all of the agent: problems name its files. */
  const knowsAll = (identity: Identity | undefined): boolean => {
    const bundle = agent.bundle()
    return (
      bundle === undefined || seenBy(bundle, identity?.roles ?? [], generation().scope) === bundle
    )
  }

  const app = new Hono<{ Bindings: RouteContext }>()
  describeRoutes(app, ROUTE_DOCS)
  endpoint(app, '/health', {
    GET({ env }) {
      const { status, body } = healthOf(agent, generation(), uptimeMs())
      const details = env.identity && knowsAll(env.identity) ? body : withProblemCount(body)
      return Response.json(
        env.identity ? details : { status },
        status === 'starting' ? { status: 503, headers: { 'retry-after': '1' } } : {},
      )
    },
  })
  endpoint(app, '/inspect/health', {
    GET({ env }) {
      const { body } = healthOf(agent, generation(), uptimeMs())
      const tenant = env.identity?.tenant
      const runs = agent.runs().filter((run) => tenant === undefined || run.tenant === tenant)
      if (!knowsAll(env.identity))
        return Response.json({
          ...withProblemCount(body),
          models: agent.models(),
          issues: [],
          runs,
          errors: [],
        })
      return Response.json({
        ...body,
        models: agent.models(),
        issues: agent.bundle()?.issues ?? [],
        runs,
        errors: wiring(env).errors,
      })
    },
  })
  endpoint(app, '/inspect/context', {
    async GET({ env }) {
      const roles = env.identity?.roles ?? []
      // without a tenant, where one may be chosen, the report has the parts common to all tenants
      const caller = env.caller()
      const report = await contextReport(
        agent,
        generation(),
        roles,
        caller.ok ? { ...caller.value, roles } : undefined,
        env.signal,
      )
      return report.ok ? Response.json(report.value) : failed(report.error)
    },
  })
  for (const kind of ['skills', 'knowledge'] as const) addDocuments(app, kind, agent, generation)
  endpoint(app, '/inspect/sessions/:id', {
    async GET({ req, env }) {
      const caller = env.caller()
      if (!caller.ok) return failed(caller.error)
      const id = req.param('id')
      if (!isId(id)) return failed(failure('SESSION_NOT_FOUND', 'no id'))
      const session = sessionId(id)
      const seen = await agent.as(caller.value).session(session, env.signal)
      if (!seen.ok) return failed(seen.error)
      const { tenant, principal } = caller.value
      const call = sent.newest(tenant, session)
      return call
        ? Response.json(reportOf(session, call, principal))
        : failed(
            failure(
              'NOT_FOUND',
              'this server has sent nothing to a model for this session since it started',
            ),
          )
    },
  })
  endpoint(app, '/inspect/queue', {
    async GET({ env }) {
      const queue = generation().scope.find(JobQueue)
      if (!queue) return failed(failure('NOT_FOUND', 'this agent has no queue'))
      const report = await queueReport(queue, env.identity?.tenant, env.signal)
      return report.ok ? Response.json(report.value) : failed(report.error)
    },
  })
  endpoint(app, '/inspect/logs', {
    GET({ req, env }) {
      // lines are of all tenants and name files that a role may not see
      if (env.identity?.tenant !== undefined || !knowsAll(env.identity))
        return failed(
          failure(
            'FORBIDDEN_SCOPE',
            'the log is of all tenants: for credentials of no single one whose roles cover the agent',
          ),
        )
      const log = generation().scope.find(RecentLog)
      if (!log) return failed(failure('NOT_FOUND', 'the log of this server is not in memory'))
      const report = logReport(log, req.query())
      return report.ok ? Response.json(report.value) : failed(report.error)
    },
  })
  endpoint(app, '/inspect/kernel', {
    GET({ req, env }) {
      switch (req.query('format') ?? 'json') {
        case 'json':
          return Response.json(wiring(env))
        case 'text':
          return new Response(toText(wiring(env)))
        case 'mermaid':
          return new Response(toMermaid(wiring(env)))
        default:
          return failed(failure('VALIDATION_ERROR', 'format: is one of json, text, mermaid'))
      }
    },
  })
  endpoint(app, '/api/config', {
    GET: ({ env }) =>
      Response.json(configReport(agent, generation(), env.identity?.roles ?? [], uptimeMs())),
  })
  endpoint(app, '/api/me', {
    GET: ({ env }) =>
      env.identity
        ? Response.json(me(env.identity))
        : failed(failure('UNAUTHENTICATED', 'this needs a credential')),
  })
  app.notFound(() => failed(failure('NOT_FOUND', 'there is nothing at this path')))
  app.onError(crashed)
  return app
}

/** `GET /inspect/skills` and `GET /inspect/knowledge`, each with one of them by its name. */
function addDocuments(
  app: Hono<{ Bindings: RouteContext }>,
  kind: DocumentKind,
  agent: Agent,
  generation: () => Generation,
): void {
  endpoint(app, `/inspect/${kind}`, {
    async GET({ env }) {
      const roles = env.identity?.roles ?? []
      const caller = env.caller()
      const report = await documentsReport(kind, {
        agent,
        generation: generation(),
        roles,
        caller: caller.ok ? { ...caller.value, roles } : undefined,
        signal: env.signal,
      })
      return report.ok ? Response.json(report.value) : failed(report.error)
    },
  })
  endpoint(app, `/inspect/${kind}/:name`, {
    GET({ req, env }) {
      const report = documentReport(kind, req.param('name'), {
        agent,
        generation: generation(),
        roles: env.identity?.roles ?? [],
      })
      return report.ok ? Response.json(report.value) : failed(report.error)
    },
  })
}

/**
 * The caller, in the shape that clients of this format expect. Without authentication it is the
 * local user, who may do everything.
 */
function me({ principal, roles, scopes, tenant, name }: Identity) {
  const isLocal =
    principal === LOCAL_IDENTITY.principal && tenant === undefined && scopes.includes('*')
  return {
    id: isLocal ? 'local-dev' : principal,
    role: isLocal ? 'ops' : (roles[0] ?? null),
    roles,
    scopes,
    ...(name !== undefined && { name }),
    scope_id: tenant === undefined || tenant === LOCAL_TENANT ? null : tenant,
  }
}
