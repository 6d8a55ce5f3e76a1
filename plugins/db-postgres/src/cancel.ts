import { connect } from 'node:net'
import type { Client } from 'pg'

const CANCEL_REQUEST = 80_877_102
const GIVE_UP_MS = 2_000

/**
 * Asks the server to stop what a connection is doing (`CancelRequest`, PostgreSQL documentation
 * 54.2.10), over a connection of its own. Best effort: nothing answers it, and a proxy may not pass
 * it on.
 */
export function cancel(client: Client): void {
  // Facts of the connection that the types of `pg` leave out.
  const process: unknown = Reflect.get(client, 'processID')
  const key: unknown = Reflect.get(client, 'secretKey')
  if (typeof process !== 'number' || typeof key !== 'number') return
  const message = Buffer.alloc(16)
  message.writeInt32BE(16, 0)
  message.writeInt32BE(CANCEL_REQUEST, 4)
  message.writeInt32BE(process, 8)
  message.writeInt32BE(key, 12)
  const { host, port } = client
  const socket = host.startsWith('/') ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host)
  socket.setTimeout(GIVE_UP_MS, () => socket.destroy())
  socket.on('error', () => socket.destroy())
  socket.unref()
  socket.end(message)
}
