import type { RouteDocs } from '@amodal/plugin-http/tokens'

/** What `GET /openapi.json` says of these routes. */
export const INSPECT_DOCS: RouteDocs = {
  'GET /inspect/mcp/:name': {
    summary:
      'one MCP server: its transport, protocol, tools, what else it offers, what of it is not supported, and whether somebody is signed in',
  },
}
