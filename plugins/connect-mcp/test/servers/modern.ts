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
    {
      capabilities: {
        tools: { listChanged: true },
        resources: { listChanged: true, subscribe: true },
        prompts: { listChanged: true },
        extensions: { 'com.example/weather': {} },
      },
    },
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
  server.registerResource(
    'notes',
    'note://first',
    { description: 'The first note.', mimeType: 'text/plain' },
    async (uri) => ({ contents: [{ uri: uri.href, text: 'buy milk' }] }),
  )
  server.registerTool(
    'think',
    { description: 'Asks the model, and where it may work.', inputSchema: z.object({}) },
    async (_args, { mcpReq: { inputResponses } }) => {
      if (inputResponses === undefined)
        return inputRequired({
          inputRequests: {
            where: inputRequired.listRoots(),
            idea: inputRequired.createMessage({
              messages: [{ role: 'user', content: { type: 'text', text: 'An idea?' } }],
              maxTokens: 10,
            }),
          },
        })
      return { content: [{ type: 'text', text: JSON.stringify(inputResponses) }] }
    },
  )
  server.registerTool(
    'publish',
    { description: 'Adds a note and a prompt.', inputSchema: z.object({}) },
    async () => {
      server.registerResource('later', 'note://second', {}, async (uri) => ({
        contents: [{ uri: uri.href, text: 'buy bread' }],
      }))
      server.registerPrompt('shopping', { description: 'What to buy.' }, async () => ({
        messages: [{ role: 'user', content: { type: 'text', text: 'What is to be bought?' } }],
      }))
      server.registerPrompt('tailored', { description: 'As you like it.' }, async (ctx) => {
        const chosen = acceptedContent(ctx.mcpReq.inputResponses, 'confirm', confirmation)
        if (chosen === undefined)
          return inputRequired({
            inputRequests: {
              confirm: inputRequired.elicit({
                message: 'With a note?',
                requestedSchema: confirmation,
              }),
            },
          })
        return {
          messages: [
            { role: 'user', content: { type: 'text', text: `With ${chosen.note ?? 'nothing'}.` } },
          ],
        }
      })
      await server.server.sendResourceUpdated({ uri: 'note://first' })
      return { content: [{ type: 'text', text: 'published' }] }
    },
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
