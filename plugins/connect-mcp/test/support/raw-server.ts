import type { Json, JsonObject } from '@amodal/sdk'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { node, ROOT } from './start.ts'

/** What a server answers to each method, byte for byte. */
export type RawResults = Readonly<Record<string, Json>>
export type RawWay = 'stdio' | 'http' | 'http stream'

/** A real server that answers with these results; the spec of its connection. */
export async function rawServer(way: RawWay, results: RawResults): Promise<JsonObject> {
  if (way === 'stdio') {
    const dir = await mkdtemp(join(tmpdir(), 'amodal-raw-'))
    onTestFinished(() => rm(dir, { recursive: true, force: true }))
    const file = join(dir, 'results.json')
    await writeFile(file, JSON.stringify(results))
    return node(join(ROOT, 'test/servers/raw.ts'), file)
  }
  const server = createServer((request, response) => {
    void answer(request, response, results, way === 'http stream')
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const address = server.address()
  const port = typeof address === 'object' && address ? address.port : 0
  return { transport: 'http', url: `http://127.0.0.1:${port}/mcp` }
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  results: RawResults,
  streams: boolean,
): Promise<void> {
  if (request.method !== 'POST') return void response.writeHead(405).end()
  let body = ''
  for await (const chunk of request) body += String(chunk)
  const { id, method = '' } = JSON.parse(body) as { readonly id?: number; readonly method?: string }
  if (id === undefined) return void response.writeHead(202).end()
  const message = JSON.stringify({
    jsonrpc: '2.0',
    id,
    ...(Object.hasOwn(results, method)
      ? { result: results[method] }
      : { error: { code: -32601, message: 'Method not found' } }),
  })
  if (!streams)
    return void response.writeHead(200, { 'content-type': 'application/json' }).end(message)
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  // in pieces, the last of which ends inside of a line
  const event = `: hello\r\n\r\nid: 1\r\nevent: message\r\ndata: ${message}\r\n\r\n`
  for (let start = 0; start < event.length; start += 50)
    response.write(event.slice(start, start + 50))
  response.end()
}
