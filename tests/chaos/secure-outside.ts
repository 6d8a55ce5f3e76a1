import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { request } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import { connect, createServer, type AddressInfo, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { LOOPBACK_CERTIFICATE, LOOPBACK_KEY } from '../support/loopback-certificate.ts'

/** ms: a client that has a request ready writes it with the last of its handshake. */
const SAYS_MS = 500

/** The outside server behind TLS, whose handshakes wait until they are let through. */
export interface SecureOutside {
  readonly url: string
  /** A client has connected, and waits for its handshake. */
  readonly arrived: Promise<void>
  /** Its handshake is done, or it is gone, and it had the time to say something then. */
  readonly over: Promise<void>
  release(): void
  close(): Promise<void>
}

/** Servers that are started from now on trust it. */
export async function startSecureOutside(outside: string): Promise<SecureOutside> {
  const dir = await mkdtemp(join(tmpdir(), 'amodal-tls-'))
  await writeFile(join(dir, 'ca.pem'), LOOPBACK_CERTIFICATE)
  const before = process.env['NODE_EXTRA_CA_CERTS']
  process.env['NODE_EXTRA_CA_CERTS'] = join(dir, 'ca.pem')

  const secure = createSecureServer(
    { key: LOOPBACK_KEY, cert: LOOPBACK_CERTIFICATE },
    (incoming, response) => {
      incoming.pipe(
        request(outside, { method: incoming.method, headers: incoming.headers }, (answer) =>
          answer.pipe(response),
        ),
      )
    },
  )
  const arrived = Promise.withResolvers<void>()
  const over = Promise.withResolvers<void>()
  const released = Promise.withResolvers<void>()
  secure.on('secureConnection', () => void setTimeout(() => over.resolve(), SAYS_MS))
  const gate = createServer((socket) => {
    socket.on('error', () => undefined).pause()
    arrived.resolve()
    socket.on('close', () => over.resolve())
    void released.promise.then(() => {
      const inner = connect(portOf(secure), '127.0.0.1').on('error', () => socket.destroy())
      socket
        .on('close', () => inner.destroy())
        .pipe(inner)
        .pipe(socket)
    })
  })
  for (const server of [secure, gate]) await once(server.listen(0, '127.0.0.1'), 'listening')
  return {
    url: `https://127.0.0.1:${portOf(gate)}`,
    arrived: arrived.promise,
    over: over.promise,
    release: released.resolve,
    async close() {
      secure.closeAllConnections()
      for (const server of [secure, gate]) server.close()
      if (before === undefined) delete process.env['NODE_EXTRA_CA_CERTS']
      else process.env['NODE_EXTRA_CA_CERTS'] = before
      await rm(dir, { recursive: true, force: true })
    },
  }
}

// it listens on a port
const portOf = (server: Server): number => (server.address() as AddressInfo).port
