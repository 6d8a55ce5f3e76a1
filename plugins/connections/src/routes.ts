import { crashed, describeRoutes, endpoint, failed } from '@amodal/plugin-http/tokens'
import {
  ConnectionStatuses,
  failure,
  seenBy,
  type Agent,
  type AgentBundle,
  type Connection,
  type ConnectionStatus,
  type Generation,
  type Json,
  type JsonObject,
  type RouteContext,
  type RouteHandler,
} from '@amodal/sdk'
import { apiDocumentsOf, brokenConnectionsOf, connectionsOf } from '@amodal/sdk/connections'
import { endpointsIn } from '@amodal/sdk/files'
import { Hono } from 'hono'
import { ROUTE_DOCS } from './route-docs.ts'

/**
 * `GET /inspect/connections` and `GET /inspect/connections/:name`: what each is, without its
 * secrets.
 */
export function createRoutes(agent: Agent, generation: () => Generation): RouteHandler {
  const app = new Hono<{ Bindings: RouteContext }>()
  describeRoutes(app, ROUTE_DOCS)
  /** What whoever looks may know of. */
  const seen = ({ identity }: RouteContext): AgentBundle | undefined => {
    const bundle = agent.bundle()
    return bundle && seenBy(bundle, identity?.roles ?? [], generation().scope)
  }
  const statuses = (bundle: AgentBundle): readonly ConnectionStatus[] => {
    const known = new Set(
      [...connectionsOf(bundle), ...brokenConnectionsOf(bundle)].map(({ name }) => name),
    )
    return [...generation().registry(ConnectionStatuses).values()]
      .flatMap((of) => of(bundle.unrestricted ?? bundle))
      .filter(({ name }) => known.has(name))
  }
  endpoint(app, '/inspect/connections', {
    GET({ env }) {
      const bundle = seen(env)
      return Response.json({ connections: bundle ? statuses(bundle) : [] })
    },
  })
  endpoint(app, '/inspect/connections/:name', {
    GET({ req, env }) {
      const bundle = seen(env)
      const name = req.param('name')
      const status = bundle && statuses(bundle).find((one) => one.name === name)
      const connection = bundle && connectionsOf(bundle).find((one) => one.name === name)
      const broken = bundle && brokenConnectionsOf(bundle).find((one) => one.name === name)
      if (bundle && connection)
        return Response.json({ ...describe(connection, bundle), ...statusFields(status) })
      if (broken)
        return Response.json({
          name,
          kind: broken.kind,
          status: 'failed',
          error: broken.error,
          location: broken.file,
        })
      return failed(failure('NOT_FOUND', 'there is no such connection'))
    },
  })
  app.notFound(() => failed(failure('NOT_FOUND', 'there is nothing at this path')))
  app.onError(crashed)
  return app
}

const statusFields = (status: ConnectionStatus | undefined): JsonObject =>
  status
    ? { status: status.status, ...(status.error !== undefined && { error: status.error }) }
    : {}

function describe(
  { name, protocol, rest, spec, surface, entities, rules, file, access, accessGiven }: Connection,
  bundle: AgentBundle,
): JsonObject {
  const common = {
    name,
    kind: protocol,
    entities,
    rules,
    location: file.replace(/\/spec\.json$/, ''),
  }
  if (!rest) return { ...common, transport: spec['transport'] ?? null, surface: linesOf(surface) }
  const document = apiDocumentsOf(bundle)[name]
  return {
    ...common,
    spec: { baseUrl: rest.baseUrl, format: rest.format, authType: authType(spec['auth']) },
    surface: document
      ? document.endpoints.map(({ body, method, parameters, path, summary }) => ({
          method,
          path,
          description: summary,
          parameters: parameters.map(
            ({ description, in: place, name: parameter, required, type }) => ({
              name: parameter,
              in: place,
              type,
              required: required === true,
              ...(description !== undefined && { description }),
            }),
          ),
          ...(body !== undefined && { body }),
        }))
      : linesOf(surface),
    access: {
      given: accessGiven,
      rules: access.rules.map(({ method, path, tier, hidden, intent }) => ({
        method,
        path,
        tier: hidden ? 'hidden' : tier,
        ...(intent && { intent }),
      })),
      default: { read: access.fallback.read, write: access.fallback.write },
    },
  }
}

function authType(auth: Json | undefined): string | null {
  const type = typeof auth === 'object' && auth !== null && 'type' in auth ? auth.type : undefined
  return typeof type === 'string' ? type : null
}

/** Endpoints that `surface.md` names. */
function linesOf(surface: string): readonly JsonObject[] {
  return surface.split('\n').flatMap((line) =>
    endpointsIn(line)
      .slice(0, 1)
      .map(({ method, path, rest }) => ({
        method,
        path,
        description: rest.replace(/^[`\s*:–—-]+/, '').trim(),
      })),
  )
}
