import {
  Agent,
  failure,
  seenBy,
  type Generation,
  type JsonObject,
  type RouteContext,
  type RouteHandler,
} from '@amodal/sdk'
import { crashed, describeRoutes, endpoint, failed } from '@amodal/plugin-http/tokens'
import { Hono } from 'hono'
import type { Server } from './server.ts'
import type { Servers } from './servers.ts'
import { INSPECT_DOCS } from './inspect-docs.ts'

/** How much there is beside tools. */
function offersOf({ offers, updated }: Server): JsonObject {
  return {
    resources: offers.resources?.length ?? 0,
    resource_templates: offers.templates?.length ?? 0,
    prompts: offers.prompts?.length ?? 0,
    completions: offers.completes,
    resources_changed: updated.size,
  }
}

/** `GET /inspect/mcp/:name`: how a server fares, and the tools the agent has of it. */
export function mcpRoutes(servers: Servers, generation: () => Generation): RouteHandler {
  const app = new Hono<{ Bindings: RouteContext }>()
  describeRoutes(app, INSPECT_DOCS)
  endpoint(app, '/inspect/mcp/:name', {
    GET({ req, env }) {
      const { scope } = generation()
      const whole = scope.get(Agent).bundle()
      const bundle = whole && seenBy(whole, env.identity?.roles ?? [], scope)
      const found =
        bundle &&
        servers.use(bundle).find(({ connection }) => connection.name === req.param('name'))
      if (!found) return failed(failure('NOT_FOUND', 'there is no such MCP server'))
      const {
        connection: { name, file },
        server,
        error,
      } = found
      const tools = servers
        .list(bundle)
        .filter((one) => one.server === server)
        .map(({ name: qualifiedName, own, definition }): JsonObject => ({
          name: own,
          qualifiedName,
          description: definition.description,
          parameters: definition.parameters,
          read_only: definition.readOnly,
          tier: definition.tier ?? 'allow',
        }))
      return Response.json({
        name,
        kind: 'mcp',
        status: 'failed',
        ...(error !== undefined && { error }),
        ...server?.status,
        transport: server?.spec.transport ?? null,
        protocol: server?.protocol ?? null,
        location: file,
        authorization: server?.authorization?.describe() ?? null,
        tools,
        offers: server ? offersOf(server) : null,
        unsupported: server?.unsupported ?? [],
        left_out: [...(server?.leftOut.all ?? []), ...servers.oddities(name)],
        instructions: server?.instructions ?? '',
        stderr: server?.output.lines ?? [],
        log: server?.output.messages ?? [],
      })
    },
  })
  app.notFound(() => failed(failure('NOT_FOUND', 'there is nothing at this path')))
  app.onError(crashed)
  return app
}
