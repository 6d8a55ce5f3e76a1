import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { Lease, Outbound } from '@amodal/sdk'
import { LEASE_MARGIN } from '@amodal/sdk/loop'
import { createOutbound, type Limits } from '../src/create-outbound.ts'
import { createNetwork, type NetworkOptions } from '../src/network.ts'
import type { SendOptions } from '../src/send.ts'

/** The way out, which may go to these origins whoever asks. */
export function outboundTo(
  origins: readonly string[],
  limits: Partial<Limits> = {},
  more: Partial<Pick<SendOptions, 'ports' | 'proxyFor'>> & NetworkOptions = {},
): Outbound {
  const network = createNetwork(more)
  return createOutbound(
    { timeoutMs: 5_000, maxBytes: 1_000, ...limits },
    { network, privateOrigins: new Set(origins), ports: more.ports, proxyFor: more.proxyFor },
  )
}

export interface Target {
  readonly url: string
  readonly seen: readonly {
    readonly method: string
    readonly url: string
    readonly headers: IncomingMessage['headers']
    readonly body: string
    readonly left: boolean
  }[]
  close(): Promise<void>
}

/** A server on loopback that writes down what it is asked. */
export async function startTarget(
  answer: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<Target> {
  const seen: {
    method: string
    url: string
    headers: IncomingMessage['headers']
    body: string
    left: boolean
  }[] = []
  const server = createServer((request, response) => {
    const one = {
      method: request.method ?? '',
      url: request.url ?? '',
      headers: request.headers,
      body: '',
      left: false,
    }
    seen.push(one)
    response.once('close', () => {
      one.left = !response.writableFinished
    })
    request.on('data', (chunk: Buffer) => {
      one.body += chunk.toString()
    })
    request.on('end', () => answer(request, response))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  return {
    url: `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`,
    seen,
    async close() {
      if (!server.listening) return
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}

/** A lease whose time can be taken away. */
export function leaseOf(left: number): Lease & { lose(): void; leave(ms: number): void } {
  const stop = new AbortController()
  let rest = left
  return {
    margin: LEASE_MARGIN,
    remainingMs: () => rest,
    signal: stop.signal,
    leave: (ms) => {
      rest = ms
    },
    lose() {
      rest = 0
      stop.abort(new Error('the lease is lost'))
    },
  }
}
