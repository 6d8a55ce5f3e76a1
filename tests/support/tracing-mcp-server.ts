// An MCP server that notes the `_meta` of its requests: over stdio, or what to serve over HTTP.
import { appendFileSync } from 'node:fs'
import { McpServer } from '@modelcontextprotocol/server'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { z } from 'zod'

/** @param note is called with the `_meta` of each request */
export function makeServer(note: (meta: unknown) => void): McpServer {
  const server = new McpServer({ name: 'tracing', version: '1.0.0' }, { capabilities: {} })
  server.registerTool(
    'act',
    { description: 'Acts.', inputSchema: z.object({}), annotations: { readOnlyHint: true } },
    async (_, ctx) => {
      note(ctx.mcpReq._meta)
      return { content: [{ type: 'text', text: 'acted' }] }
    },
  )
  server.registerTool(
    'fail',
    { description: 'Fails.', inputSchema: z.object({}), annotations: { readOnlyHint: true } },
    async (_, ctx) => {
      note(ctx.mcpReq._meta)
      return { isError: true, content: [{ type: 'text', text: 'private words' }] }
    },
  )
  server.registerResource('page', 'page://first', {}, async (uri, ctx) => {
    note(ctx.mcpReq._meta)
    return { contents: [{ uri: uri.href, text: 'a page' }] }
  })
  return server
}

const [, file, journal = ''] = process.argv
if (file === import.meta.filename)
  serveStdio(() => makeServer((meta) => appendFileSync(journal, `${JSON.stringify(meta)}\n`)))
