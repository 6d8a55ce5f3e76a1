import { once } from 'node:events'
import { createConnection } from 'node:net'
import { expect } from 'vitest'
import {
  definePlugin,
  Kernel,
  Log,
  unwrap,
  use,
  explain,
  type Entry,
  type Logger,
  type RouteTable,
} from '@amodal/sdk'
import { http } from '../src/index.ts'
import { HttpApp } from '../src/tokens.ts'

export interface Line {
  readonly level: string
  readonly event: string
  readonly data: Readonly<Record<string, unknown>>
}

/** A plugin that mounts what a test needs. */
export const mounting = (name: string, mount: (table: RouteTable) => void) =>
  definePlugin({
    name,
    version: '1.0.0',
    setup: ({ hooks }) => {
      hooks.http.routes.tap(mount)
    },
  })

/** A log that records its lines. */
const logging = (lines: Line[]) => {
  const at =
    (level: string) =>
    (event: string, data: Readonly<Record<string, unknown>> = {}) =>
      void lines.push({ level, event, data })
  const logger: Logger = {
    trace: at('trace'),
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    child: () => logger,
  }
  return definePlugin({
    name: 'memory-log',
    version: '1.0.0',
    provides: [Log],
    setup: ({ provide }) => {
      provide(Log, () => logger)
    },
  })
}

export interface Running extends AsyncDisposable {
  readonly kernel: Kernel
  readonly url: string
  readonly port: number
  readonly lines: Line[]
  readonly entries: readonly Entry[]
  get(path: string, init?: RequestInit): Promise<Response>
  /** Resolves when the server takes no more connections. */
  refusing(): Promise<void>
}

async function isRefused(port: number): Promise<boolean> {
  const socket = createConnection({ port, host: '127.0.0.1' })
  try {
    await once(socket, 'connect')
    return false
  } catch {
    return true
  } finally {
    socket.destroy()
  }
}

/** A kernel with the server on a free port, and what `entries` mount. */
export async function serving(
  entries: readonly Entry[],
  config: Readonly<Record<string, unknown>> = {},
): Promise<Running> {
  const lines: Line[] = []
  const all = [use(logging(lines)), use(http, { port: 0, ...config }), ...entries]
  const kernel = unwrap(await Kernel.create(all), explain)
  const address = kernel.scope.get(HttpApp).address()
  if (!address) throw new Error('the server does not listen')
  const url = `http://127.0.0.1:${address.port}`
  return {
    kernel,
    url,
    lines,
    entries: all,
    port: address.port,
    get: (path, init) => fetch(url + path, init),
    refusing: () => expect.poll(() => isRefused(address.port)).toBe(true),
    [Symbol.asyncDispose]: async () => {
      await kernel.close()
    },
  }
}

/**
 * Sends raw bytes and returns the response, until the server closes or is silent for `silenceMs`.
 */
export function raw(port: number, text: string, silenceMs = 1_000): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = createConnection({ port, host: '127.0.0.1' }, () => socket.write(text))
    let answer = ''
    socket.setTimeout(silenceMs, () => socket.destroy())
    socket.on('data', (chunk) => {
      answer += chunk.toString()
    })
    socket.on('close', () => resolve(answer))
    socket.on('error', reject)
  })
}

/** The error in the body of a response. */
export const errorOf = async (response: Response): Promise<{ code: string; message: string }> =>
  (await response.json()).error
