import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { Json } from '@amodal/sdk'

/** A request as it came over the wire. */
export interface Came {
  readonly method: string
  /** As sent, not decoded. */ readonly url: string
  readonly headers: IncomingMessage['headers']
  readonly body: string
}
export interface Answer {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  /** Text and bytes as they are, anything else as JSON. */
  readonly body?: Json | Uint8Array
  /** ms before the first byte. */
  readonly delay?: number
  /** The connection breaks instead. */
  readonly cut?: true
}

export interface ApiServer extends AsyncDisposable {
  readonly url: string
  readonly came: readonly Came[]
  /** What came, as `METHOD url`. */
  readonly lines: readonly string[]
}

/** An API on loopback that answers as a test says, and remembers all that came. */
export async function startApi(
  answer: (request: Came, n: number) => Answer | undefined,
): Promise<ApiServer> {
  const came: Came[] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const one = {
        method: request.method ?? '',
        url: request.url ?? '',
        headers: request.headers,
        body: Buffer.concat(chunks).toString(),
      }
      came.push(one)
      const {
        status = 200,
        headers = {},
        body,
        delay = 0,
        cut,
      } = answer(one, came.length - 1) ?? { status: 404, body: { error: 'there is nothing here' } }
      setTimeout(() => {
        if (cut) {
          request.socket.destroy()
          return
        }
        const plain = typeof body === 'string' || body instanceof Uint8Array
        response.writeHead(status, {
          ...(body !== undefined && !plain && { 'content-type': 'application/json' }),
          ...headers,
        })
        response.end(body === undefined ? undefined : plain ? body : JSON.stringify(body))
      }, delay)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  return {
    url: `http://127.0.0.1:${port}`,
    came,
    get lines() {
      return came.map(({ method, url }) => `${method} ${url}`)
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
