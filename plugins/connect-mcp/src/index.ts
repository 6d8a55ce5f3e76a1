import {
  Agent,
  Commands,
  ConnectionStatuses,
  Database,
  definePlugin,
  Health,
  LiveChecks,
  Migrations,
  Outbound,
  PromptSections,
  Sealer,
  Secrets,
  Tools,
  type AgentBundle,
  type HealthFact,
} from '@amodal/sdk'
import { SessionBundles } from '@amodal/sdk/loop'
import { instructionsSection } from './section.ts'
import { mcpRoutes } from './routes.ts'
import { Servers } from './servers.ts'
import { Settings } from './settings.ts'
import { ConnectionLogins } from './connection-logins.ts'
import {
  CALLBACK,
  callbackRoute,
  CLIENT_METADATA,
  clientMetadataRoute,
  clientMetadataUrl,
  connectionRoutes,
  CONNECTIONS,
} from './connection-routes.ts'
import { connectionsCommand } from './connections-command.ts'
import { MIGRATIONS } from './migrations.ts'
import { McpConnections } from './tokens.ts'
import { DatabaseVault, MemoryVault, type Vault } from './vault.ts'

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
  reaches: { hosts: ['*'], secrets: ['*'], processes: ['*'] },
  requires: { agent: Agent, secrets: Secrets, outbound: Outbound },
  optional: { database: Database, sealer: Sealer },
  provides: [Tools, PromptSections, ConnectionStatuses, Health, McpConnections],
  config: Settings,
  setup({ config, deps, add, hooks, onBoot, onDispose, provide, generation, log }) {
    const { database, sealer, secrets, outbound } = deps
    const vault = database && sealer ? new DatabaseVault(database, sealer, log) : new MemoryVault()
    if (vault.lasting) add(Migrations, 'connect-mcp', MIGRATIONS)
    const held = (): readonly AgentBundle[] => generation().scope.find(SessionBundles)?.held() ?? []
    const serversOn = (kept: Vault): Servers =>
      new Servers(config, secrets, outbound, kept, log, held)
    const servers = serversOn(vault)
    const logins = new ConnectionLogins({ servers, vault, secrets, log })
    const { publicUrl } = config
    const connections = connectionRoutes({ logins, generation, publicUrl })
    provide(McpConnections, () => ({ routes: connections }))
    add(Commands, 'ops connections', connectionsCommand)
    const bundle = () => deps.agent.bundle()
    /** Begins to connect in the background; the start does not wait for it. */
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
        // a check is made where nothing has started: neither the database nor the master key
        serversOn(new MemoryVault()),
        Math.min(config.connectMs, CHECK_MS),
        signal,
      ),
    )
    add(Health, 'connect-mcp', (): HealthFact => {
      const now = bundle()
      const problems = now ? servers.problems(now) : []
      return { facts: {}, ...(problems.length > 0 && { problem: problems.join('; ') }) }
    })
    hooks.http.routes.tap((routes) => {
      routes.mount('/inspect/mcp', mcpRoutes(servers, generation))
      routes.mount(CONNECTIONS, connections, { scope: 'ops' })
      routes.mount(CALLBACK, callbackRoute({ logins, generation }), { open: true, exact: true })
      if (publicUrl !== undefined && clientMetadataUrl(publicUrl) !== undefined)
        routes.mount(CLIENT_METADATA, clientMetadataRoute(publicUrl), { open: true, exact: true })
    })
    hooks.bundle.used.tap(begin)
    hooks.run.end.tap((_outcome, { run }) => servers.release(run))
    onBoot(() => {
      begin()
      return vault.watch((kept) => servers.changed(kept))
    })
    onDispose(() => servers.close())
  },
})

export default connectMcp
