import { connect, createServer, type Socket } from 'node:net'
import { once } from 'node:events'

export interface CuttingProxy extends AsyncDisposable {
  readonly url: string
  /** Number of connections so far. */
  readonly connections: number
  /**
   * Lets so many bytes of answers through and cuts the connection then; for each connection from
   * now on.
   */
  cutAfter(bytes: number): void
}

/** A wire between a client and a server that breaks. */
export async function cuttingProxy(port: number): Promise<CuttingProxy> {
  let limit = Infinity
  let connections = 0
  const sockets = new Set<Socket>()
  const server = createServer((client) => {
    connections++
    const upstream = connect({ port, host: '127.0.0.1' })
    let remaining = limit
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.on('error', () => undefined)
      socket.once('close', () => {
        sockets.delete(socket)
        client.destroy()
        upstream.destroy()
      })
    }
    client.on('data', (chunk) => upstream.write(chunk))
    upstream.on('data', (chunk) => {
      const passed = chunk.subarray(0, remaining)
      remaining -= passed.length
      client.write(passed, () => {
        if (remaining <= 0) client.destroy()
      })
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  return {
    url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`,
    get connections() {
      return connections
    },
    cutAfter(bytes) {
      limit = bytes
      for (const socket of sockets) socket.destroy()
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}
