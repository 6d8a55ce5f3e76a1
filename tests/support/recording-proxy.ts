import { once } from 'node:events'
import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Stands before a server, and stores all that comes out of it. */
export interface RecordingProxy extends AsyncDisposable {
  readonly url: string
  /** Headers and bodies that clients have received so far, each byte as a character. */
  received(): string
  /** Port of the server, which may need the address of this proxy for its start. */
  target: number
}

/** Starts one on a free port of this machine. It asks for bodies that are not compressed. */
export async function startRecordingProxy(): Promise<RecordingProxy> {
  const chunks: Buffer[] = []
  const forward = (from: IncomingMessage, to: ServerResponse): void => {
    const { method, url: path } = from
    const headers = { ...from.headers, 'accept-encoding': 'identity' }
    const onward = request({ host: '127.0.0.1', port: proxy.target, method, headers, path })
    const drop = (): void => void to.socket?.resetAndDestroy()
    onward.on('error', drop)
    onward.on('response', (response) => {
      chunks.push(Buffer.from(`${response.rawHeaders.join('\n')}\n`, 'latin1'))
      to.writeHead(response.statusCode ?? 500, response.headers)
      to.flushHeaders()
      response.on('error', drop).on('data', (chunk: Buffer) => chunks.push(chunk))
      response.pipe(to)
    })
    to.on('close', () => onward.destroy())
    from.pipe(onward)
  }
  const server = createServer(forward).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo // it listens on a port
  const proxy: RecordingProxy = {
    url: `http://127.0.0.1:${port}`,
    target: 0,
    received: () => Buffer.concat(chunks).toString('latin1'),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
  return proxy
}
