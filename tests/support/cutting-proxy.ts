import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'

/**
 * Stands before a Postgres and loses answers: the commit has been made, and whoever made it is
 * never told.
 */
export interface CuttingProxy {
  /** The connection string of a database, through the proxy. */
  readonly url: string
  /** Cuts the next commits of connections that have spoken of this. */
  arm(mentions: string, times: number): void
  /** Commits whose answer was lost. */
  readonly cuts: number
  close(): Promise<void>
}

/** `CommandComplete` of a `COMMIT` (PostgreSQL documentation, 54.7). */
const COMMITTED = Buffer.from('C\0\0\0\x0bCOMMIT\0', 'latin1')

/** @param database connection string of the database itself */
export async function startCuttingProxy(database: string): Promise<CuttingProxy> {
  const target = new URL(database)
  const sockets = new Set<Socket>()
  let armed = { mentions: '', times: 0 }
  let cuts = 0
  const server = createServer((client) => {
    const inner = connect(Number(target.port || '5432'), target.hostname)
    let spoken = ''
    const end = (): void => {
      client.destroy()
      inner.destroy()
    }
    for (const socket of [client, inner]) {
      sockets.add(socket)
      socket.on('error', end).on('close', () => {
        sockets.delete(socket)
        end()
      })
    }
    client.on('data', (chunk: Buffer) => {
      spoken += chunk.toString('latin1')
      inner.write(chunk)
    })
    inner.on('data', (chunk: Buffer) => {
      if (armed.times > 0 && chunk.includes(COMMITTED) && spoken.includes(armed.mentions)) {
        armed = { ...armed, times: armed.times - 1 }
        cuts++
        return end()
      }
      client.write(chunk)
    })
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const url = new URL(database)
  url.hostname = '127.0.0.1'
  url.port = String((server.address() as AddressInfo).port) // it listens on a port
  return {
    url: url.href,
    arm(mentions, times) {
      armed = { mentions, times }
    },
    get cuts() {
      return cuts
    },
    async close() {
      server.close()
      for (const socket of sockets) socket.destroy()
      await once(server, 'close')
    },
  }
}
