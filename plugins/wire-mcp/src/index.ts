import {
  Agent,
  Clock,
  Commands,
  definePlugin,
  RequestLimiter,
  Sealer,
  systemClock,
} from '@amodal/sdk'
import { TokenIssuers } from '@amodal/plugin-auth/tokens'
import { standIn } from '@amodal/plugin-loop/tokens'
import type { AgentServer } from './agent-server.ts'
import { Changes } from './changes.ts'
import { Connections } from './connections.ts'
import { STATE } from './direct-call.ts'
import { mcpRoute } from './mcp-route.ts'
import { ownTools } from './own-tools.ts'
import { challengeFor, METADATA_PATH, metadataRoute } from './protected-resource.ts'
import type { OwnTool, ServerParts } from './server-parts.ts'
import { settings } from './settings.ts'
import { endpointFor } from './stdio/endpoint.ts'
import { mcpCommand } from './stdio/mcp-command.ts'
import { MCP_PATH, McpEndpoint } from './tokens.ts'

/**
 * The agent as an MCP server: over streamable HTTP at `/mcp`, and over stdio with `amodal mcp`.
 *
 * @example
 * use(wireMcp, { expose: ['search_*', 'create_ticket'] })
 */
export const wireMcp = definePlugin({
  name: 'wire-mcp',
  version: '0.1.0',
  requires: { agent: Agent },
  optional: {
    clock: Clock,
    issuers: TokenIssuers,
    limiter: RequestLimiter,
    sealer: Sealer,
  },
  provides: [McpEndpoint],
  config: settings,
  setup({ add, config, deps, generation, hooks, log, onBoot, provide }) {
    const { agent, clock = systemClock, limiter, sealer } = deps
    let isClosing = false
    let tools: readonly OwnTool[] | undefined
    const parts: ServerParts = {
      agent,
      clock,
      generation,
      limiter,
      log,
      sealer,
      settings: config,
      ownTools: () => (tools ??= ownTools(config)),
      isClosing: () => isClosing,
    }
    const connections = new Connections(parts)
    const overStdio = new Set<AgentServer>()
    const changes = new Changes(() => [...connections.servers(), ...overStdio], log)
    const issuers = (): readonly string[] => deps.issuers?.issuers ?? []

    provide(McpEndpoint, () => endpointFor(parts, overStdio))
    add(Commands, 'mcp', mcpCommand)
    hooks.model.open.tap((source, call, ctx) => standIn(STATE, source, call, ctx), {
      stage: 'last',
    })
    hooks.bundle.used.tap((bundle) => changes.used(bundle))
    hooks.http.routes.tap((table) => {
      table.mount(MCP_PATH, mcpRoute({ parts, connections, bus: (sdk) => changes.bus(sdk) }), {
        challenge: challengeFor(config.resource, issuers),
        exact: true,
        maxBody: config.maxBodyBytes,
        scope: 'chat',
      })
      table.mount(METADATA_PATH, metadataRoute(config.resource, issuers), { open: true })
    })
    hooks.kernel.drain.tap(async () => {
      isClosing = true
      await connections.close()
    })
    onBoot(() => async () => {
      isClosing = true
      await connections.close()
    })
  },
})

export default wireMcp
