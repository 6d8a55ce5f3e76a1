import {
  failure,
  messageOf,
  ok,
  tryAsync,
  type Failure,
  type Identity,
  type Result,
  type RouteContext,
  type RouteHandler,
} from '@amodal/sdk'
import { z } from 'zod'
import { describeRoutes, type RouteDocs, failed, mayUse } from '@amodal/plugin-http/tokens'
import { AgentServer } from './agent-server.ts'
import type { Connections } from './connections.ts'
import { protocol, type Protocol, type ServerEventBus } from './protocol.ts'
import type { McpClient, ServerParts } from './server-parts.ts'

/** Headers with credentials: they are not kept with a session. */
const PRIVATE: ReadonlySet<string> = new Set([
  'authorization',
  'cookie',
  'proxy-authorization',
  'x-api-key',
])

const JSON_RPC_ERROR = {
  about: 'An error of JSON-RPC.',
  body: z.looseObject({ error: z.looseObject({ code: z.int(), message: z.string() }) }),
}

/** Both revisions of the protocol describe their messages themselves. */
const MCP_DOCS: RouteDocs = {
  'POST /mcp': {
    errorForm: JSON_RPC_ERROR,
    summary: 'the agent for MCP clients, over streamable HTTP',
    bodyTypes: ['application/json'],
    responses: {
      200: {
        about: 'A JSON-RPC response, or a stream of messages.',
        types: ['application/json', 'text/event-stream'],
      },
      202: { about: 'A notification was taken.' },
    },
  },
  'GET /mcp': {
    errorForm: JSON_RPC_ERROR,
    summary: 'messages of the server for a session of the protocol',
    headers: { 'Mcp-Session-Id': 'The session of the protocol.' },
    responses: { 200: { about: 'A stream of messages.', types: ['text/event-stream'] } },
    errors: ['NOT_ALLOWED'],
  },
  'DELETE /mcp': {
    errorForm: JSON_RPC_ERROR,
    summary: 'ends a session of the protocol',
    headers: { 'Mcp-Session-Id': 'The session of the protocol.' },
    errors: ['NOT_ALLOWED'],
  },
}

export interface RouteParts {
  readonly parts: ServerParts
  readonly connections: Connections
  /** Changes, for subscriptions of 2026-07-28. */
  readonly bus: (sdk: Protocol) => ServerEventBus
}

/**
 * `/mcp`, for both revisions: requests of 2026-07-28 stand alone, and any instance answers them;
 * older clients have sessions of the protocol.
 */
export function mcpRoute({ parts, connections, bus }: RouteParts): RouteHandler {
  let library: Promise<Protocol> | undefined
  return describeRoutes(
    {
      async fetch(incoming, context) {
        const caller = context.caller()
        if (!caller.ok) return failed(caller.error)
        const read = await nativeRequest(incoming)
        if (!read.ok) return failed(read.error)
        const request = read.value
        const sdk = await (library ??= protocol())
        const client = clientOf(incoming, context, () => caller.value)
        const { maxBodyBytes } = parts.settings
        if (await sdk.isLegacyRequest(request, undefined, { maxRequestBodySize: maxBodyBytes }))
          return connections.fetch(request, client, sdk)
        const handler = sdk.createMcpHandler(
          () => new AgentServer(parts, { ...client, stopsBy: 'request' }, sdk, true).mcp,
          {
            legacy: 'reject',
            bus: bus(sdk),
            maxRequestBodySize: maxBodyBytes,
            // A call may take longer than a response may take to begin.
            responseMode: request.headers.get('mcp-method') === 'tools/call' ? 'sse' : 'auto',
          },
        )
        return handler.fetch(request)
      },
    },
    MCP_DOCS,
  )
}

/** A request of the platform: the library reads its body more than once. */
async function nativeRequest(incoming: Request): Promise<Result<Request, Failure>> {
  const { headers, method, signal, url } = incoming
  if (method !== 'POST') return ok(new Request(url, { headers, method, signal }))
  return tryAsync(
    async () => new Request(url, { headers, method, signal, body: await incoming.text() }),
    (cause) => failure('VALIDATION_ERROR', `body: ${messageOf(cause)}`),
  )
}

function clientOf(
  { headers }: Request,
  { identity }: RouteContext,
  caller: McpClient['caller'],
): McpClient {
  return {
    caller,
    may: (scope) => identity !== undefined && mayUse(identity satisfies Identity, scope),
    stopsBy: 'notification',
    headers: Object.fromEntries([...headers].filter(([name]) => !PRIVATE.has(name))),
  }
}
