import { once } from 'node:events'
import { serve } from '@hono/node-server'
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server'
import type { Json, JsonObject } from '@amodal/sdk'
import { z } from 'zod'
import { startApi, type Answer, type Came } from '../support/api-server.ts'

/** What an address answers: a page as HTML where it is a text. */
export interface Pages {
  readonly [address: string]: Json | { readonly status: number; readonly says: Json }
}

/** Something that was done outside: `crm PATCH /contacts/42`, `ops deploy`. */
export interface Done {
  readonly what: string
  readonly with: Json
}

/** Everything outside of the agent, on loopback. */
export interface World extends AsyncDisposable {
  /** The services that the agent is connected to, each below its own name. */
  readonly url: string
  /** Somebody else's server. */
  readonly stranger: string
  readonly mcp: string
  /** What was changed, oldest first. */
  readonly done: readonly Done[]
  /** All that came, to look for what should not have. */
  readonly came: readonly string[]
  /** Forgets what came; from now on it answers with these. */
  begin(pages: Pages): void
}

/** Tools of the MCP server: what they read stands in the pages at `mcp NAME`. */
const TOOLS: Readonly<Record<string, { readonly input: z.ZodObject; readonly reads?: true }>> = {
  list_tickets: { input: z.object({}), reads: true },
  get_ticket: { input: z.object({ id: z.string() }), reads: true },
  search_logs: { input: z.object({ query: z.string() }), reads: true },
  comment_ticket: { input: z.object({ id: z.string(), text: z.string() }) },
  close_ticket: { input: z.object({ id: z.string() }) },
  assign_ticket: { input: z.object({ id: z.string(), assignee: z.string() }) },
  deploy: { input: z.object({ service: z.string(), version: z.string() }) },
  run_command: { input: z.object({ host: z.string(), command: z.string() }) },
  rotate_all_keys: { input: z.object({}) },
}

export async function startWorld(
  descriptions: Readonly<Record<string, string>> = {},
): Promise<World> {
  let pages: Pages = {}
  const done: Done[] = []
  const came: string[] = []
  const answerOf = (name: string): Answer | undefined => {
    const page = pages[name]
    if (page === undefined) return undefined
    if (typeof page === 'object' && page !== null && 'status' in page && 'says' in page)
      return { status: Number(page.status), body: page.says }
    return typeof page === 'string'
      ? { headers: { 'content-type': 'text/html; charset=utf-8' }, body: page }
      : { body: page }
  }
  const service = (request: Came): Answer | undefined => {
    came.push(`${request.method} ${request.url} ${JSON.stringify(request.headers)} ${request.body}`)
    const [, name = '', path = ''] = /^\/([^/?]+)([^?]*)/.exec(request.url) ?? []
    if (request.method === 'GET') return answerOf(`${name} ${path}`)
    done.push({
      what: `${name} ${request.method} ${path}`,
      with: request.body === '' ? null : (JSON.parse(request.body) as Json),
    })
    return answerOf(`${name} ${request.method} ${path}`) ?? { status: 201, body: { ok: true } }
  }
  const services = await startApi(service)
  const stranger = await startApi((request) => {
    came.push(
      `stranger ${request.method} ${request.url} ${JSON.stringify(request.headers)} ${request.body}`,
    )
    return { body: 'thanks' }
  })
  const mcp = createMcpHandler(() => {
    const server = new McpServer({ name: 'ops', version: '1.0.0' })
    for (const [name, { input, reads }] of Object.entries(TOOLS)) {
      const description = descriptions[name] ?? `${name.replaceAll('_', ' ')}.`
      server.registerTool(
        name,
        { description, inputSchema: input, annotations: { readOnlyHint: reads === true } },
        async (given) => {
          const args = given as JsonObject // it was JSON on the wire
          came.push(`mcp ${name} ${JSON.stringify(args)}`)
          if (!reads) done.push({ what: `ops ${name}`, with: args })
          const page = pages[`mcp ${name}`] ?? (reads ? [] : 'done')
          const failed = typeof page === 'object' && page !== null && 'says' in page
          const said = failed ? page.says : page
          return {
            content: [
              { type: 'text', text: typeof said === 'string' ? said : JSON.stringify(said) },
            ],
            ...(failed && { isError: true }),
          }
        },
      )
    }
    return server
  })
  const listening = serve({
    fetch: (request) => mcp.fetch(request),
    port: 0,
    hostname: '127.0.0.1',
  })
  await once(listening, 'listening')
  const address = listening.address()
  return {
    url: services.url,
    stranger: stranger.url,
    done,
    came,
    mcp: `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}/mcp`,
    begin(next) {
      pages = next
      done.length = 0
      came.length = 0
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([services[Symbol.asyncDispose](), stranger[Symbol.asyncDispose]()])
      if ('closeAllConnections' in listening) listening.closeAllConnections()
      listening.close()
    },
  }
}
