import type { RouteHandler, RouteTable } from '@amodal/sdk'
import { PREFIXES, type AppParts } from './app.ts'
import { LINK_PATH } from './artifact-links.ts'
import { linkRoute } from './link-route.ts'
import { MCP_PATH, mcpRoute } from './mcp.ts'

/** What mounts all routes of this plugin, with the scopes that they ask for. */
export function runRoutes(
  routes: RouteHandler,
  parts: AppParts,
): (table: Pick<RouteTable, 'mount'>) => void {
  const { artifactService } = parts
  const scope = 'agents'
  return (table) => {
    for (const [prefix, needed] of Object.entries(PREFIXES))
      table.mount(prefix, routes, { scope: needed })
    table.mount(MCP_PATH, mcpRoute(parts), { scope })
    table.mount(LINK_PATH, linkRoute(artifactService), { open: true })
  }
}
