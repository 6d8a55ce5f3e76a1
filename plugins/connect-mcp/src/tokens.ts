import { slot, type RouteHandler } from '@amodal/sdk'

/** Signing in to MCP servers: `/connections`. */
export interface McpConnections {
  readonly routes: RouteHandler
}
export const McpConnections = slot.kernel<McpConnections>('mcp-connections')
