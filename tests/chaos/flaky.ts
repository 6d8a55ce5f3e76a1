import { setTimeout as sleep } from 'node:timers/promises'
import type { Recorder } from './history.ts'
import type { Home } from './home.ts'
import type { Random } from '../support/random.ts'
import type { ServerProcess } from './server-process.ts'

/**
 * The part of requests that never arrive, of answers that are lost, and of streams that are cut on
 * the way.
 */
const UNSENT = 0.03
const UNHEARD = 0.05
const CUT = 0.3

/** A server that is up, whichever; waits until there is one. */
export async function anyServer(home: Home, random: Random): Promise<ServerProcess> {
  for (;;) {
    const [first, ...rest] = home.serving
    if (first) return random.pick([first, ...rest])
    await sleep(50)
  }
}

export interface FlakyOptions {
  readonly random: Random
  readonly recorder: Recorder
  /** Whose server is asked, each time anew. */
  readonly server: () => Promise<ServerProcess>
  /** Nothing is lost on the way. */
  readonly reliable?: boolean
}

/**
 * A network that goes to any server, loses requests and answers, cuts streams, and takes everything
 * down.
 */
export function flaky({ random, recorder, server, reliable = false }: FlakyOptions): typeof fetch {
  return async (input, init) => {
    const n = recorder.next()
    const [isUnsent, isUnheard, isCut, chunks] = [
      random.chance(UNSENT),
      random.chance(UNHEARD),
      random.chance(CUT),
      random.within(0, 12),
    ]
    const broken = (why: string): Error => {
      recorder.add({ kind: 'broken', n, why })
      return new TypeError(why)
    }
    const chosen = await server()
    const { pathname, search } = new URL(input instanceof Request ? input.url : input)
    const headers = new Headers(init?.headers)
    const said = ['last-event-id', 'idempotency-key'].flatMap((name) => headers.get(name) ?? [])
    recorder.add({
      kind: 'request',
      n,
      server: chosen.name,
      what: [
        init?.method ?? 'GET',
        pathname,
        ...said,
        typeof init?.body === 'string' ? init.body : '',
      ].join(' '),
    })
    if (isUnsent && !reliable) throw broken('the connection broke before the request was sent')
    const response = await fetch(`${chosen.url}${pathname}${search}`, init).catch(
      (cause: unknown) => {
        throw broken(`${String(cause)}: ${cause instanceof Error ? String(cause.cause) : ''}`)
      },
    )
    if (isUnheard && !reliable) {
      await response.body?.cancel()
      throw broken('the connection broke before the answer came')
    }
    const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true
    if (!isStream) {
      const text = await response.text().catch((cause: unknown) => {
        throw broken(String(cause))
      })
      recorder.add({ kind: 'response', n, status: response.status, text: text.slice(0, 500) })
      return new Response(text, { status: response.status, headers: response.headers })
    }
    recorder.add({ kind: 'response', n, status: response.status })
    if (!isCut || reliable || !response.body) return response
    let left = chunks
    const cut = new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        if (left-- > 0) controller.enqueue(chunk)
        else controller.error(broken('the stream was cut'))
      },
    })
    return new Response(response.body.pipeThrough(cut), {
      status: response.status,
      headers: response.headers,
    })
  }
}
