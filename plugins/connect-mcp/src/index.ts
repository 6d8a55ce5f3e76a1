import {
  Agent,
  ConnectionStatuses,
  definePlugin,
  Health,
  LiveChecks,
  Outbound,
  PromptSections,
  Secrets,
  Tools,
  type HealthFact,
} from '@amodal/sdk'
import { instructionsSection } from './section.ts'
import { mcpRoutes } from './routes.ts'
import { Servers } from './servers.ts'
import { Settings } from './settings.ts'

export { mcpManager, type McpManager } from './mcp-manager.ts'

/** How long a check by hand waits for servers to start, ms. */
const CHECK_MS = 30_000

/**
 * Tools of MCP servers: child processes, SSE and streamable HTTP, as `connections/<name>/spec.json`
 * and `mcp.servers` name them.
 */
export const connectMcp = definePlugin({
  name: 'connect-mcp',
  version: '0.1.0',
  requires: { agent: Agent, secrets: Secrets, outbound: Outbound },
  provides: [Tools, PromptSections, ConnectionStatuses, Health],
  config: Settings,
  setup({ config, deps, add, hooks, onBoot, onDispose, generation, log }) {
    const newServers = (): Servers => new Servers(config, deps.secrets, deps.outbound, log)
    const servers = newServers()
    const bundle = () => deps.agent.bundle()
    /** Begins to connect in the background: nobody's start waits for it. */
    const begin = (): void => {
      const now = bundle()
      if (now) servers.use(now)
    }
    add(Tools, 'mcp', {
      tools: (files) => servers.list(files).map(({ definition }) => definition),
      revision: (files) => servers.revision(files),
      settled: (files) => servers.settled(files),
    })
    add(PromptSections, 'mcp', { sections: (files) => instructionsSection(servers, files) })
    add(ConnectionStatuses, 'connect-mcp', (files) => servers.statuses(files))
    add(LiveChecks, 'connect-mcp', async (files, signal) =>
      (await import('./live-check.ts')).checkLive(
        files,
        newServers(),
        Math.min(config.connectMs, CHECK_MS),
        signal,
      ),
    )
    add(Health, 'connect-mcp', (): HealthFact => {
      const now = bundle()
      const failed = now ? servers.statuses(now).filter(({ status }) => status === 'failed') : []
      return {
        facts: {},
        ...(failed.length > 0 && {
          problem: failed
            .map(({ name, error = 'it cannot be reached' }) => `${name}: ${error}`)
            .join('; '),
        }),
      }
    })
    hooks.http.routes.tap((routes) => routes.mount('/inspect/mcp', mcpRoutes(servers, generation)))
    hooks.bundle.used.tap(begin)
    hooks.run.end.tap((_outcome, { run }) => servers.release(run))
    onBoot(begin)
    onDispose(() => servers.close())
  },
})

export default connectMcp
