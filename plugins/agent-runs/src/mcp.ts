import { failure, type Caller, type JsonObject, type RouteHandler } from '@amodal/sdk'
import { IdempotencyKey, describeRoutes, failed, problems } from '@amodal/plugin-http/tokens'
import type { CallToolResult, McpServer } from '@modelcontextprotocol/server'
import { z } from 'zod'
import { RUN_STATUSES } from '@amodal/sdk/wire'
import type { ArtifactService } from './artifact-service.ts'
import { failedReply, type RunReply } from './run-reply.ts'
import {
  ArtifactQuery,
  CancelRequest,
  EventsQuery,
  LinkRequest,
  ListQuery,
  readSession,
  ResumeRequest,
  startRequest,
  StatusQuery,
} from './run-request.ts'
import type { RunService } from './run-service.ts'

/** Where MCP clients connect, over streamable HTTP. */
export const MCP_PATH = '/api/platform/v1/mcp'

const VERSION = '0.1.0'
/** {@link ListQuery} without its transformation, which JSON Schema cannot say. */
const ListRequest = z.object({
  limit: z.int().min(1).max(200).optional(),
  before: z.string().max(200).optional().describe('`next_before` of the last page, or a time'),
  status: z.enum(RUN_STATUSES).optional().describe('Only sessions that stand there'),
})
const session = z.string().max(128).describe('What `agents.start` answered with')

/**
 * Runs and artifacts as tools of an MCP server. It keeps nothing between two requests, so that any
 * instance answers any of them.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28
 */
export function mcpRoute(parts: McpParts): RouteHandler {
  return describeRoutes(
    {
      async fetch(request, context) {
        const caller = context.caller()
        if (!caller.ok) return failed(caller.error)
        const { signal } = context
        const { origin } = new URL(request.url)
        // Loaded by the first request: it is a large part of a start.
        const mcp = await import('@modelcontextprotocol/server')
        const handler = mcp.createMcpHandler(
          () =>
            serverFor(
              new mcp.McpServer({ name: 'amodal-agents', version: VERSION }),
              caller.value,
              {
                ...parts,
                signal,
                origin,
              },
            ),
          { responseMode: 'json' },
        )
        return handler.fetch(request)
      },
    },
    {
      [`POST ${MCP_PATH}`]: {
        summary: 'runs for MCP clients: tools `agents.*` and `artifacts.*`',
        bodyTypes: ['application/json'],
        responses: { 200: { about: 'A JSON-RPC response.', types: ['application/json'] } },
        errorForm: {
          about: 'An error of JSON-RPC.',
          body: z.looseObject({ error: z.looseObject({ code: z.int(), message: z.string() }) }),
        },
      },
    },
  )
}

interface McpParts {
  readonly service: RunService
  readonly artifactService: ArtifactService
  readonly maxTaskChars: number
}

interface ServerParts extends McpParts {
  readonly signal: AbortSignal
  /** Of the request. */
  readonly origin: string
}

function serverFor(server: McpServer, caller: Caller, parts: ServerParts): McpServer {
  addStart(server, caller, parts)
  addRunTools(server, caller, parts.service)
  addReadTools(server, caller, parts.service)
  addArtifactTools(server, caller, parts)
  return server
}

function addArtifactTools(server: McpServer, caller: Caller, parts: ServerParts): void {
  const { artifactService, origin } = parts
  server.registerTool(
    'artifacts.get',
    {
      description: 'An artifact that a run has made: its newest version, or another one.',
      inputSchema: ArtifactQuery.extend({ id: z.string().max(128) }),
      annotations: { readOnlyHint: true },
    },
    async ({ id, ...query }) => resultOf(await artifactService.get(caller, id, query)),
  )
  server.registerTool(
    'artifacts.link',
    {
      description:
        'A link to one version of an artifact. Whoever has it can download that version until it expires.',
      inputSchema: LinkRequest.extend({ id: z.string().max(128) }),
    },
    async ({ id, ...asked }) => resultOf(await artifactService.link(caller, id, asked, origin)),
  )
}

/** What runs there are, and what came of one. */
function addReadTools(server: McpServer, caller: Caller, runs: RunService): void {
  const annotations = { readOnlyHint: true }
  server.registerTool(
    'agents.list',
    {
      description: 'Sessions, the newest first; `next_before` leads to the next page.',
      inputSchema: ListRequest,
      annotations,
    },
    async (input) => {
      const page = ListQuery.safeParse(input)
      return page.success
        ? resultOf(await runs.list(caller, page.data))
        : resultOf(failedReply(failure('VALIDATION_ERROR', problems(page.error))))
    },
  )
  server.registerTool(
    'agents.events',
    {
      description: 'What happened in a session, from the beginning; `next_after` leads on.',
      inputSchema: EventsQuery.extend({ session_id: session }),
      annotations,
    },
    async ({ session_id: id, ...page }) =>
      resultOf(await runs.events(caller, readSession(id), page)),
  )
  server.registerTool(
    'agents.artifacts',
    {
      description: 'The artifacts that a session has made, of each its last version.',
      inputSchema: z.object({ session_id: session }),
      annotations,
    },
    async ({ session_id: id }) => resultOf(await runs.artifactsOf(caller, readSession(id))),
  )
}

function addStart(server: McpServer, caller: Caller, parts: ServerParts): void {
  server.registerTool(
    'agents.start',
    {
      description:
        'Starts an agent on a task. Answers at once with its session; `async: false` waits for the end, for a minute at most.',
      inputSchema: startRequest(parts.maxTaskChars)
        .omit({ scope_id: true })
        .extend({
          idempotency_key: IdempotencyKey.optional().describe(
            'The same key with the same request is the same session',
          ),
        }),
    },
    async ({ idempotency_key: key, ...request }) =>
      resultOf(await parts.service.start(caller, request, key, parts.signal)),
  )
}

function addRunTools(server: McpServer, caller: Caller, runs: RunService): void {
  server.registerTool(
    'agents.profiles_list',
    {
      description: 'The profiles that an agent can be started with.',
      inputSchema: z.object({}),
      annotations: { readOnlyHint: true },
    },
    () => resultOf(runs.profiles()),
  )
  server.registerTool(
    'agents.status',
    {
      description: 'Where a session stands, what it waits for, and what came of it.',
      inputSchema: StatusQuery.extend({ session_id: session }),
      annotations: { readOnlyHint: true },
    },
    async ({ session_id: id, include_events: events }) =>
      resultOf(await runs.status(caller, readSession(id), events)),
  )
  server.registerTool(
    'agents.resume',
    {
      description: 'Answers what a session waits for; the answer must fit `pending_input_schema`.',
      inputSchema: ResumeRequest.extend({ session_id: session }),
    },
    async ({ session_id: id, ...answer }) =>
      resultOf(await runs.resume(caller, readSession(id), answer)),
  )
  server.registerTool(
    'agents.cancel',
    {
      description: 'Ends a session that has not ended.',
      inputSchema: CancelRequest.extend({ session_id: session }),
      annotations: { destructiveHint: true, idempotentHint: true },
    },
    async ({ session_id: id, reason }) =>
      resultOf(await runs.cancel(caller, readSession(id), reason)),
  )
}

function resultOf(reply: RunReply): CallToolResult {
  const body: JsonObject =
    reply.kind === 'body'
      ? reply.body
      : { success: false, error: { code: reply.error.code, message: reply.error.message } }
  return {
    content: [{ type: 'text', text: JSON.stringify(body) }],
    structuredContent: { ...body },
    ...(body['success'] === false && { isError: true }),
  }
}
