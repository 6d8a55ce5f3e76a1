import { onAbort } from '@amodal/sdk'
import { AgentServer } from '../agent-server.ts'
import { protocol } from '../protocol.ts'
import type { ServerParts } from '../server-parts.ts'
import type { McpEndpoint } from '../tokens.ts'
import { LinesTransport } from './lines-transport.ts'

/** @param servers is kept up to date, for those who tell of changes */
export const endpointFor = (parts: ServerParts, servers: Set<AgentServer>): McpEndpoint => ({
  async serve(lines, caller, signal) {
    const [sdk, { serveStdio }] = await Promise.all([
      protocol(),
      import('@modelcontextprotocol/server/stdio'),
    ])
    const transport = new LinesTransport(lines, parts.log)
    const own = new Set<AgentServer>()
    const handle = serveStdio(
      ({ era }) => {
        const server = new AgentServer(
          parts,
          { caller: () => caller, may: () => true, stopsBy: 'notification' },
          sdk,
          era === 'modern',
        )
        own.add(server)
        servers.add(server)
        return server.mcp
      },
      { transport, onerror: (error) => parts.log.debug('mcp.stdio', { error }) },
    )
    const leave = onAbort(signal, () => void handle.close())
    await transport.closed
    leave()
    for (const server of own) servers.delete(server)
    await handle.close()
  },
})
