import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { z } from 'zod'

const body = z.object({ marker: z.string(), tool: z.string(), server: z.string() })

/** A request as it came in: what has happened, whatever became of the answer. */
export interface OutsideCall extends z.output<typeof body> {
  readonly key: string | undefined
  /** ms since the epoch. */
  readonly at: number
}

export interface Held {
  /** The request is in and counted; its answer waits. */
  readonly arrived: Promise<void>
  release(): void
}

/**
 * The world outside: counts what reaches it, and drops a repeat that carries a known key, as such
 * services do.
 */
export interface Outside {
  readonly url: string
  readonly calls: readonly OutsideCall[]
  /** What a call has brought about: requests, those with one key counted once. */
  effects(marker: string): number
  /** The next answer to this call waits. */
  hold(marker: string): Held
  close(): Promise<void>
}

export async function startOutside(): Promise<Outside> {
  const calls: OutsideCall[] = []
  const held = new Map<string, { readonly arrived: () => void; readonly released: Promise<void> }>()

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { marker, tool, server } = body.parse(JSON.parse(await textOf(request)))
    const key = request.headers['idempotency-key']
    calls.push({
      marker,
      tool,
      server,
      key: typeof key === 'string' ? key : undefined,
      at: Date.now(),
    })
    const hold = held.get(marker)
    held.delete(marker)
    hold?.arrived()
    await hold?.released
    response.end(`done ${marker}`)
  }

  const listener = createServer((request, response) => {
    // the caller died while it was talking
    answer(request, response).catch(() => response.destroy())
  })
  listener.listen(0, '127.0.0.1')
  await once(listener, 'listening')
  return {
    url: `http://127.0.0.1:${(listener.address() as AddressInfo).port}`, // listens on a port
    calls,
    effects: (marker) => effectsIn(calls, marker),
    hold(marker) {
      const arrived = Promise.withResolvers<void>()
      const released = Promise.withResolvers<void>()
      held.set(marker, { arrived: arrived.resolve, released: released.promise })
      return { arrived: arrived.promise, release: released.resolve }
    },
    async close() {
      const closed = once(listener, 'close')
      listener.close()
      listener.closeAllConnections()
      await closed
    },
  }
}

/** What has come about of a call: requests, those with one key counted once. */
export function effectsIn(calls: readonly OutsideCall[], marker: string): number {
  const own = calls.filter((call) => call.marker === marker)
  return (
    own.filter(({ key }) => key === undefined).length +
    new Set(own.flatMap(({ key }) => key ?? [])).size
  )
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer) // no encoding is set
  return Buffer.concat(chunks).toString('utf8')
}
