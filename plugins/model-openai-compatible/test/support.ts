import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { once } from 'node:events'
import type { LanguageModel, ModelConfig } from '@amodal/sdk'
import { secretsOf, straightOut } from '@amodal/sdk/testing'
import { ENDPOINTS } from '../src/endpoints.ts'
import { createProvider } from '../src/provider.ts'

/** The provider that the plugin registers under a name. */
export function providerOf(
  name: string,
  secrets: Readonly<Record<string, string>> = {},
): ReturnType<typeof createProvider> {
  const endpoint = ENDPOINTS.find((one) => one.name === name)
  if (endpoint === undefined) throw new Error(`no endpoint is named ${name}`)
  return createProvider(endpoint, { secrets: secretsOf(secrets), outbound: straightOut })
}

export function modelOf(
  config: Partial<ModelConfig>,
  secrets: Readonly<Record<string, string>> = {},
): LanguageModel {
  const full = { provider: 'openai-compatible', model: 'm', ...config }
  const made = providerOf(full.provider, secrets).model(full)
  if (!made.ok) throw new Error(made.error.message)
  return made.value
}

export interface RawServer {
  readonly url: string
  /** Bodies of the requests, in order. */
  readonly bodies: readonly Readonly<Record<string, unknown>>[]
  readonly requests: readonly {
    readonly url: string
    readonly headers: IncomingMessage['headers']
  }[]
  close(): Promise<void>
}

/** A server that answers as it is told, byte for byte. */
export async function startRawServer(
  answer: (response: ServerResponse, n: number) => void | Promise<void>,
): Promise<RawServer> {
  const bodies: Record<string, unknown>[] = []
  const requests: { url: string; headers: IncomingMessage['headers'] }[] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      bodies.push(JSON.parse(Buffer.concat(chunks).toString('utf8')))
      requests.push({ url: request.url ?? '', headers: request.headers })
      void answer(response, bodies.length - 1)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  return {
    url: `http://127.0.0.1:${port}/v1`,
    bodies,
    requests,
    async close() {
      server.close()
      server.closeAllConnections()
      await once(server, 'close').catch(() => undefined)
    },
  }
}

/** Sends bytes in the given pieces, each in a write of its own. */
export async function inPieces(
  response: ServerResponse,
  pieces: readonly Uint8Array[],
): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  for (const piece of pieces) {
    response.write(piece)
    await new Promise((resolve) => {
      setImmediate(resolve)
    })
  }
  response.end()
}

/** The frames of a stream; a string is the data of an event as it stands. */
export function frames(...events: readonly (string | object)[]): string {
  return events
    .map((event) => `data: ${typeof event === 'string' ? event : JSON.stringify(event)}\n\n`)
    .join('')
}

/** A chunk with this delta. */
export const delta = (content: object, finish: string | null = null): object => ({
  id: 'c1',
  created: 1_700_000_000,
  model: 'm',
  choices: [{ index: 0, delta: content, finish_reason: finish }],
})
