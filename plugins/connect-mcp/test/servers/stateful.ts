// A server of the older protocol over HTTP that gives sessions, and can forget them.
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'

interface Json {
  readonly [key: string]: unknown
}
export interface StatefulServer {
  readonly url: string
  /** What it was asked, in order: methods, and calls with their arguments. */
  readonly heard: string[]
  /** As after a restart: no session is known any more. */
  forget(): void
  close(): void
}

export interface StatefulOptions {
  /** The answer to a session that it does not know. */
  readonly unknown?: { readonly status: number; readonly body: string }
  /** The answer to a request for a stream of notifications. */
  readonly stream?: number
  /** More of each tool, in place of one that is called `act`. */
  readonly tools?: readonly Json[]
  /** The result of a call. */
  readonly result?: (args: Json) => Json
}

export async function statefulServer({
  unknown = { status: 404, body: 'Session not found' },
  stream = 405,
  tools,
  result,
}: StatefulOptions = {}): Promise<StatefulServer> {
  const sessions = new Set<string>()
  const heard: string[] = []
  const answer = (
    response: ServerResponse,
    body: Json,
    headers: Record<string, string> = {},
  ): void =>
    void response
      .writeHead(200, { 'content-type': 'application/json', ...headers })
      .end(JSON.stringify({ jsonrpc: '2.0', ...body }))

  async function take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method !== 'POST')
      return void response.writeHead(request.method === 'GET' ? stream : 200).end()
    let text = ''
    for await (const chunk of request) text += String(chunk)
    const {
      id,
      method = '',
      params = {},
    } = JSON.parse(text) as {
      readonly id?: number
      readonly method?: string
      readonly params?: Json
    }
    if (method === 'initialize') {
      heard.push(method)
      const session = randomUUID()
      sessions.add(session)
      return answer(
        response,
        {
          id,
          result: {
            protocolVersion: '2025-06-18',
            capabilities: { tools: {} },
            serverInfo: { name: 'stateful', version: '1' },
          },
        },
        { 'mcp-session-id': session },
      )
    }
    if (method === 'server/discover')
      return answer(response, { id, error: { code: -32601, message: 'Method not found' } })
    if (!sessions.has(String(request.headers['mcp-session-id'])))
      return void response
        .writeHead(unknown.status, { 'content-type': 'text/plain' })
        .end(unknown.body)
    heard.push(method === 'tools/call' ? `call ${JSON.stringify(params['arguments'])}` : method)
    if (id === undefined) return void response.writeHead(202).end()
    if (method === 'tools/list')
      return answer(response, {
        id,
        result: { tools: tools ?? [{ name: 'act', inputSchema: { type: 'object' } }] },
      })
    answer(response, {
      id,
      result: result?.(params['arguments'] as Json) ?? {
        content: [{ type: 'text', text: `did ${JSON.stringify(params['arguments'])}` }],
      },
    })
  }

  const server = createServer(
    (request, response) =>
      void take(request, response).catch((cause: unknown) =>
        response.writeHead(500).end(String(cause)),
      ),
  ).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  return {
    heard,
    url: `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}/mcp`,
    forget: () => sessions.clear(),
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}
