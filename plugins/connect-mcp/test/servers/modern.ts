// A server of the newest protocol: over stdio, or what to serve over HTTP.
import { acceptedContent, inputRequired, McpServer } from '@modelcontextprotocol/server'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { z } from 'zod'

const confirmation = z.object({
  confirm: z.boolean().describe('Really?'),
  note: z.string().optional(),
})

export function makeServer(): McpServer {
  const server = new McpServer(
    { name: 'modern', version: '1.0.0' },
    { capabilities: { tools: { listChanged: true } } },
  )
  server.registerTool(
    'deploy',
    { description: 'Deploys.', inputSchema: z.object({ env: z.string() }) },
    async ({ env }, ctx) => {
      const confirmed = acceptedContent(ctx.mcpReq.inputResponses, 'confirm', confirmation)
      if (confirmed === undefined) {
        return inputRequired({
          inputRequests: {
            confirm: inputRequired.elicit({
              message: `Deploy to ${env}?`,
              requestedSchema: confirmation,
            }),
          },
        })
      }
      return {
        content: [
          {
            type: 'text',
            text: confirmed.confirm
              ? `deployed to ${env} (${confirmed.note ?? 'no note'})`
              : 'left alone',
          },
        ],
      }
    },
  )
  server.registerTool(
    'sum',
    {
      description: 'Adds.',
      inputSchema: z.object({ a: z.number(), b: z.number() }),
      outputSchema: z.object({ sum: z.number() }),
      annotations: { readOnlyHint: true },
    },
    async ({ a, b }) => ({
      structuredContent: { sum: a + b },
      content: [{ type: 'text', text: JSON.stringify({ sum: a + b }) }],
    }),
  )
  server.registerTool(
    'borrow',
    { description: 'Wants the model.', inputSchema: z.object({}) },
    async () =>
      inputRequired({
        inputRequests: {
          idea: inputRequired.createMessage({
            messages: [{ role: 'user', content: { type: 'text', text: 'An idea?' } }],
            maxTokens: 10,
          }),
        },
      }),
  )
  server.registerTool(
    'grow',
    { description: 'Learns a trick.', inputSchema: z.object({}) },
    async () => {
      server.registerTool(
        'trick',
        { description: 'A trick.', inputSchema: z.object({}) },
        async () => ({ content: [{ type: 'text', text: 'tada' }] }),
      )
      return { content: [{ type: 'text', text: 'learned' }] }
    },
  )
  return server
}

if (process.argv[1] === import.meta.filename) serveStdio(makeServer)
