import { isObject, messageOf, onAbort, type Json, type Logger } from '@amodal/sdk'
import type { Transport } from '@modelcontextprotocol/client'
import { MCP_PATH, type McpLines } from '../tokens.ts'
import { LinesTransport } from './lines-transport.ts'

type Message = Parameters<Transport['send']>[0]

export interface RemoteServer {
  readonly url: string
  readonly credential: string | undefined
  readonly scope: string | undefined
}

/** The meta field that each request of 2026-07-28 has. */
const REVISION_META = 'io.modelcontextprotocol/protocolVersion'

/** Passes messages between a client of lines and a server of streamable HTTP, as they are. */
export async function bridge(
  { url, credential, scope }: RemoteServer,
  lines: McpLines,
  log: Logger,
  signal: AbortSignal,
): Promise<void> {
  const { StreamableHTTPClientTransport } = await import('@modelcontextprotocol/client')
  const near = new LinesTransport(lines, log)
  const far = new StreamableHTTPClientTransport(new URL(MCP_PATH, url), {
    requestInit: {
      headers: {
        ...(credential !== undefined && { authorization: `Bearer ${credential}` }),
        ...(scope !== undefined && { 'x-scope-id': scope }),
      },
    },
  })
  const open = new Map<Json, AbortController>()
  far.onmessage = (message): void => {
    const { id, result } = fieldsOf(message)
    if (isObject(result) && typeof result['protocolVersion'] === 'string')
      far.setProtocolVersion(result['protocolVersion'])
    if (id !== undefined) open.delete(id)
    void near.send(message)
  }
  near.onmessage = (message): void => void forward(message)
  const forward = async (message: Message): Promise<void> => {
    const { id, method, params } = fieldsOf(message)
    // Of a request of 2026-07-28 its stream is closed; there is no word for it over HTTP.
    const stopped =
      method === 'notifications/cancelled' && isObject(params)
        ? open.get(params['requestId'] ?? null)
        : undefined
    if (stopped) return stopped.abort()
    const controller = new AbortController()
    const isModern =
      isObject(params) && isObject(params['_meta']) && REVISION_META in params['_meta']
    if (id !== undefined && method !== undefined && isModern) open.set(id, controller)
    try {
      await far.send(message, { requestSignal: controller.signal })
    } catch (cause) {
      log.debug('mcp.not_forwarded', { error: cause })
      if (id !== undefined && method !== undefined && !controller.signal.aborted)
        await near.send(failedMessage(id, messageOf(cause)))
    }
  }
  await far.start()
  await near.start()
  const leave = onAbort(signal, () => void near.close())
  await near.closed
  leave()
  await far.close()
}

const fieldsOf = (message: Message): Readonly<Record<string, Json | undefined>> =>
  message as Readonly<Record<string, Json | undefined>> // a message is JSON

const failedMessage = (id: Json, message: string): Message =>
  // `id` is the request's own
  ({ jsonrpc: '2.0', id, error: { code: -32_603, message } }) as Message
