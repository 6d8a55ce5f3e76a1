import type { Caller, Clock } from '@amodal/sdk'
import { keepingDigits, quotedBody } from '@amodal/sdk/wire'
import type { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server'
import { AgentServer } from './agent-server.ts'
import { EventBuffer } from './event-buffer.ts'
import type { Protocol } from './protocol.ts'
import type { McpClient, ServerParts } from './server-parts.ts'

interface Connection {
  readonly server: AgentServer
  readonly transport: WebStandardStreamableHTTPServerTransport
  /** Whose it is: to everybody else it is unknown. */
  readonly owner: string
  client: Pick<McpClient, 'caller' | 'may'>
  /** ms since the epoch. */
  usedAt: number
  /** Streams that are open. */
  open: number
}

/** ms after which a client takes a stream up again that was cut. */
const RETRY_MS = 1_000

const ownerOf = ({ tenant, principal }: Caller): string => JSON.stringify([tenant, principal])

/**
 * Connections of clients of 2025-11-25 and before, which have sessions of the protocol. They are in
 * the memory of this process: another one answers 404, and the client begins anew.
 */
export class Connections {
  readonly #parts: ServerParts
  readonly #clock: Clock
  readonly #all = new Map<string, Connection>()

  constructor(parts: ServerParts) {
    this.#parts = parts
    this.#clock = parts.clock
  }

  /** Servers with a client, to be told of changes. */
  servers(): readonly AgentServer[] {
    return [...this.#all.values()].map(({ server }) => server)
  }

  async fetch(request: Request, client: McpClient, sdk: Protocol): Promise<Response> {
    const id = request.headers.get('mcp-session-id')
    if (id === null) return this.#begin(request, client, sdk)
    const connection = this.#all.get(id)
    if (connection?.owner !== ownerOf(client.caller())) return unknown()
    connection.client = client
    this.#use(id, connection)
    if (request.method === 'GET') this.#watch(connection, request.signal)
    return connection.transport.handleRequest(quotedRequest(request))
  }

  async close(): Promise<void> {
    const all = [...this.#all.values()]
    this.#all.clear()
    await Promise.all(all.map(({ server }) => server.mcp.close()))
  }

  async #begin(request: Request, client: McpClient, sdk: Protocol): Promise<Response> {
    const { connections, maxBodyBytes } = this.#parts.settings
    const transport = new sdk.WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => crypto.randomUUID(),
      onsessioninitialized: (id) => {
        this.#makeRoom()
        this.#all.set(id, connection)
      },
      onsessionclosed: (id) => void this.#all.delete(id),
      eventStore: new EventBuffer(connections.events, () => {
        connection.usedAt = this.#clock.now()
      }),
      maxRequestBodySize: maxBodyBytes,
      retryInterval: RETRY_MS,
    })
    const server = new AgentServer(
      this.#parts,
      {
        caller: () => connection.client.caller(),
        may: (scope) => connection.client.may(scope),
        stopsBy: 'notification',
        ...(client.headers && { headers: client.headers }),
      },
      sdk,
      false,
    )
    const connection: Connection = {
      server,
      transport,
      owner: ownerOf(client.caller()),
      client,
      usedAt: this.#clock.now(),
      open: 0,
    }
    await server.mcp.connect(keepingDigits(transport))
    const response = await transport.handleRequest(quotedRequest(request))
    // It was no `initialize`: the transport says so.
    if (transport.sessionId === undefined) await server.mcp.close()
    return response
  }

  /** The one that was used last stands last. */
  #use(id: string, connection: Connection): void {
    connection.usedAt = this.#clock.now()
    this.#all.delete(id)
    this.#all.set(id, connection)
  }

  #watch(connection: Connection, signal: AbortSignal): void {
    connection.open++
    signal.addEventListener('abort', () => connection.open--, { once: true })
  }

  #makeRoom(): void {
    const { idleMs, most } = this.#parts.settings.connections
    const idle = [...this.#all].filter(
      ([, { open, usedAt }]) => open === 0 && this.#clock.now() - usedAt > idleMs,
    )
    for (const [id] of idle) this.#drop(id)
    for (const [id] of this.#all) {
      if (this.#all.size < most) break
      this.#drop(id)
    }
  }

  #drop(id: string): void {
    const connection = this.#all.get(id)
    this.#all.delete(id)
    connection?.server.mcp
      .close()
      .catch((cause: unknown) => this.#parts.log.debug('mcp.not_closed', { error: cause }))
  }
}

const unknown = (): Response =>
  Response.json(
    { jsonrpc: '2.0', error: { code: -32_001, message: 'Session not found' }, id: null },
    { status: 404 },
  )

/** The library reads the body with `JSON.parse`, which rounds numbers of many digits. */
const quotedRequest = (request: Request): Request =>
  request.body === null
    ? request
    : new Request(request, streamed(quotedBody(request.body, 'document')))

/** `duplex` is needed for a body that is a stream, and not in the types of a browser. */
const streamed = (body: ReadableStream): RequestInit & { readonly duplex: 'half' } => ({
  body,
  duplex: 'half',
})
