import { createConnection, type Socket } from 'node:net'
import {
  announce,
  Database,
  definePlugin,
  explain,
  Kernel,
  Log,
  ok,
  principalId,
  Tenancy,
  tenantId,
  unwrap,
  use,
  type Audience,
  type Entry,
  type JsonObject,
  type Logger,
  type RuntimeEvent,
} from '@amodal/sdk'
import { http } from '@amodal/plugin-http'
import { HttpApp } from '@amodal/plugin-http/tokens'
import { events } from '../src/index.ts'

export interface Line {
  readonly level: string
  readonly event: string
  readonly data: Readonly<Record<string, unknown>>
}

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

/**
 * `scope_id` is `tenant`, or `tenant:principal` for a caller who sees only their own sessions.
 */
const people = definePlugin({
  name: 'people',
  version: '1.0.0',
  provides: [Tenancy],
  setup: ({ provide }) => {
    provide(Tenancy, () => ({
      callerOf({ principal }, scopeId = 'acme') {
        const [tenant = '', own] = scopeId.split(':')
        return ok({
          tenant: tenantId(tenant),
          principal: own === undefined ? principal : principalId(own),
          ...(own !== undefined && { ownSessionsOnly: true }),
        })
      },
    }))
  },
})

/** The channel between the instances on one database. */
export class Channel {
  readonly #listeners = new Set<(payload: string) => void>()
  readonly payloads: string[] = []

  /**
   * Publishes as another client of the database would. A listener that throws does not affect the
   * others.
   */
  tell(payload: string): void {
    for (const listener of this.#listeners) {
      try {
        listener(payload)
      } catch {
        continue
      }
    }
  }

  /** A database plugin that has nothing but this channel. */
  database() {
    const listeners = this.#listeners
    const payloads = this.payloads
    return definePlugin({
      name: 'channel',
      version: '1.0.0',
      provides: [Database],
      setup: ({ provide }) => {
        provide(Database, () => ({
          dialect: 'postgres',
          exclusive: false,
          run: () => Promise.resolve(ok([])),
          transaction: () => Promise.reject(new Error('there are no tables')),
          ready: () => ({ ready: true }),
          listen(_channel, listener) {
            listeners.add(listener)
            return () => {
              listeners.delete(listener)
            }
          },
          notify(_channel, payload) {
            payloads.push(payload)
            for (const listener of listeners) setImmediate(listener, payload)
            return Promise.resolve(ok(undefined))
          },
        }))
      },
    })
  }
}

export interface Serving extends AsyncDisposable {
  readonly kernel: Kernel
  readonly url: string
  readonly port: number
  readonly lines: readonly Line[]
  /** Publishes an event as a plugin does. */
  tell(event: RuntimeEvent, audience?: Partial<Audience>): void
  subscribe(query?: string, headers?: Record<string, string>): Promise<Stream>
}

export interface Around {
  readonly more?: readonly Entry[]
  readonly httpConfig?: object
}

/** The real server with the bus, and a plugin that publishes changes. */
export async function serving(
  config: Readonly<Record<string, unknown>> = {},
  { more = [], httpConfig = {} }: Around = {},
): Promise<Serving> {
  const lines: Line[] = []
  let tell: Serving['tell'] = () => undefined
  const changes = definePlugin({
    name: 'changes',
    version: '1.0.0',
    setup: ({ generation }) => {
      tell = (event, { tenant = tenantId('acme'), ...audience } = {}) =>
        announce(generation(), event, { tenant, ...audience })
    },
  })
  const kernel = unwrap(
    await Kernel.create([
      use(logging(lines)),
      use(people),
      use(changes),
      use(http, { port: 0, ...httpConfig }),
      ...more,
      use(events, config),
    ]),
    explain,
  )
  const address = kernel.scope.get(HttpApp).address()
  if (!address) throw new Error('the server does not listen')
  const url = `http://127.0.0.1:${address.port}`
  return {
    kernel,
    url,
    lines,
    port: address.port,
    tell: (event, audience) => tell(event, audience),
    subscribe: async (query = '', headers = {}) =>
      new Stream(await fetch(`${url}/api/events${query}`, { headers })),
    [Symbol.asyncDispose]: async () => {
      await kernel.close()
    },
  }
}

export interface Frame {
  readonly id: string | undefined
  readonly name: string | undefined
  readonly data: JsonObject
}

/** The stream as a client reads it. */
export class Stream {
  readonly response: Response
  /** The text outside of frames. */
  comments = ''
  frames: Frame[] = []
  readonly #reader: ReadableStreamDefaultReader<string> | undefined
  #rest = ''

  constructor(response: Response) {
    this.response = response
    this.#reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  }

  /** Reads until there are so many frames. `undefined`: to the end. */
  async until(count = Infinity): Promise<readonly Frame[]> {
    while (this.frames.length < count) {
      const next = await this.#reader?.read()
      if (next?.done !== false) break
      const parts = (this.#rest + next.value).split('\n\n')
      this.#rest = parts.pop() ?? ''
      for (const part of parts) {
        const data = /^data: (.*)$/m.exec(part)?.[1]
        if (data === undefined) this.comments += part
        else
          this.frames.push({
            id: /^id: (.*)$/m.exec(part)?.[1],
            name: /^event: (.*)$/m.exec(part)?.[1],
            data: JSON.parse(data) as JsonObject,
          }) // an event is an object
      }
    }
    return this.frames
  }

  async leave(): Promise<void> {
    await this.#reader?.cancel()
  }
}

/** A client that sends a request and does not read the response. */
export function stalled(port: number): Promise<Socket> {
  return new Promise((resolve) => {
    const socket = createConnection({ port, host: '127.0.0.1' }, () =>
      socket.write('GET /api/events HTTP/1.1\r\nhost: localhost\r\n\r\n'),
    )
    socket.on('error', () => undefined)
    socket.once('data', () => resolve(socket.pause()))
  })
}
