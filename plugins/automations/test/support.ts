import dbPglite from '@amodal/plugin-db-pglite'
import { http } from '@amodal/plugin-http'
import { HttpApp } from '@amodal/plugin-http/tokens'
import loop from '@amodal/plugin-loop'
import modelOpenaiCompatible from '@amodal/plugin-model-openai-compatible'
import outbound from '@amodal/plugin-outbound'
import prompt from '@amodal/plugin-prompt'
import queueDatabase from '@amodal/plugin-queue-database'
import queueMemory from '@amodal/plugin-queue-memory'
import secretsEnv from '@amodal/plugin-secrets-env'
import sessions from '@amodal/plugin-sessions'
import sessionsMemory from '@amodal/plugin-sessions-memory'
import {
  BundleSource,
  defineBundle,
  definePlugin,
  explain,
  LOCAL_TENANT,
  ok,
  principalId,
  startAgent,
  unwrap,
  use,
  type AgentBundle,
  type AgentClient,
  type Clock,
  type Entry,
  type JsonObject,
  type Plugin,
  type RuntimeEvent,
  type Scope,
} from '@amodal/sdk'
import { reply, startModelServer, type ModelServer, type Script } from '@amodal/sdk/testing'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import { once } from 'node:events'
import { onTestFinished } from 'vitest'
import { automations } from '../src/index.ts'
import { Automations } from '../src/tokens.ts'

export const forever = new AbortController().signal

/** A clock that stands still until it is turned. */
export class TurnedClock implements Clock {
  #now: number

  constructor(at: string) {
    this.#now = Date.parse(at)
  }

  now(): number {
    return this.#now
  }

  monotonic(): number {
    return performance.now()
  }

  /** @param to an ISO time */
  turn(to: string): void {
    this.#now = Date.parse(to)
  }

  pass(ms: number): void {
    this.#now += ms
  }
}

/** A clock that goes, and can be set ahead. */
export class GoingClock extends TurnedClock {
  readonly #begun = performance.now()

  override now(): number {
    return super.now() + Math.floor(performance.now() - this.#begun)
  }
}

export interface World {
  readonly files?: Readonly<Record<string, string | object>>
  readonly script?: Script
  readonly env?: Readonly<Record<string, string>>
  readonly config?: Readonly<Record<string, unknown>>
  readonly plugins?: readonly Entry[]
  readonly clock?: Clock
  readonly bundle?: Partial<AgentBundle>
  /** Where data is kept; in memory where it is left out. `memory://` is a PGlite of this test. */
  readonly storage?: readonly Entry[]
  readonly manifest?: Readonly<Record<string, string | object>>
  readonly model?: ModelServer
  readonly server?: Readonly<Record<string, unknown>>
  /** `false`: a server that has the same data and no automations. */
  readonly automations?: false
}

export const IN_MEMORY: readonly Entry[] = [use(sessionsMemory), use(queueMemory)]
export const onPglite = (dataDir = 'memory://'): readonly Entry[] => [
  use(dbPglite, { dataDir }),
  use(sessions),
  use(queueDatabase),
]

export interface Booted {
  readonly url: string
  readonly model: ModelServer
  readonly client: AgentClient
  readonly service: Automations
  readonly scope: Scope
  readonly events: readonly RuntimeEvent[]
  readonly close: () => Promise<void>
  get(path: string): Promise<Json>
  post(path: string, body?: object, headers?: Readonly<Record<string, string>>): Promise<Response>
  /** Runs an automation to its end. */
  run(name: string): Promise<Json>
  /** Runs of an automation, the newest first, once `enough` says so of them. */
  runs(name: string, enough: (runs: readonly Json[]) => boolean): Promise<readonly Json[]>
}

/** What the routes answer: tests look into it. */
export type Json = Readonly<Record<string, unknown>>

/** An agent with automations, on a real server. */
export async function boot(world: World = {}): Promise<Booted> {
  const model =
    world.model ?? (await startModelServer({ script: world.script ?? reply.text('All clean.') }))
  const events: RuntimeEvent[] = []
  const started = unwrap(
    await startAgent(entriesOf(world, model, events), world.clock ? { clock: world.clock } : {}),
    (error) => ('failure' in error ? JSON.stringify(error.failure) : explain(error)),
  )
  const { kernel, agent } = started
  let closing: Promise<void> | undefined
  const close = (): Promise<void> =>
    (closing ??= started.close().then(async () => {
      if (!world.model) await model.close()
    }))
  onTestFinished(close)
  const address = kernel.scope.get(HttpApp).address()
  const url = `http://127.0.0.1:${address?.port ?? 0}`
  const post: Booted['post'] = (path, body = {}, headers = {}) =>
    fetch(url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    })
  const get: Booted['get'] = async (path) => (await (await fetch(url + path)).json()) as Json
  return {
    url,
    model,
    events,
    close,
    post,
    get,
    scope: kernel.scope,
    get service() {
      return kernel.scope.get(Automations)
    },
    client: agent.as({ tenant: LOCAL_TENANT, principal: principalId('local') }),
    run: async (name) => (await (await post(`/automations/${name}/run`)).json()) as Json,
    runs: (name, enough) =>
      until(async () => {
        const { runs } = await get(`/automations/${name}/runs?limit=500`)
        const found = runs as readonly Json[]
        return enough(found) ? found : undefined
      }),
  }
}

function entriesOf(world: World, model: ModelServer, events: RuntimeEvent[]): readonly Entry[] {
  const { files = {}, env = {}, config = {}, plugins = [], storage = IN_MEMORY } = world
  return [
    use(secretsEnv, { env, masterKey: 'memory' }),
    use(outbound),
    use(loop),
    use(prompt),
    use(modelOpenaiCompatible),
    use(http, { port: 0, ...world.server }),
    ...storage,
    use(filesOf(files, world, model)),
    ...(world.automations === false ? [] : [use<Plugin>(automations, config)]),
    use(heard(events)),
    ...plugins,
  ]
}

/** The agent's files. */
function filesOf(files: NonNullable<World['files']>, world: World, model: ModelServer): Plugin {
  const bundle: AgentBundle = {
    ...defineBundle({
      name: 'night',
      models: {
        main: {
          provider: 'openai-compatible',
          model: 'scripted',
          baseUrl: model.url,
          apiKey: 'none',
        },
      },
    }),
    files: Object.entries(files).map(([path, content]) => ({
      path,
      text: typeof content === 'string' ? content : JSON.stringify(content, null, 2),
    })),
    ...world.bundle,
  }
  const whole: AgentBundle = world.manifest
    ? {
        ...bundle,
        manifest: {
          ...bundle.manifest,
          raw: JSON.parse(JSON.stringify(world.manifest)) as JsonObject,
        },
      }
    : bundle
  return definePlugin({
    name: 'files',
    version: '1.0.0',
    provides: [BundleSource],
    setup: ({ provide }) =>
      provide(BundleSource, () => ({ where: 'test', load: () => Promise.resolve(ok(whole)) })),
  })
}

const heard = (events: RuntimeEvent[]): Plugin =>
  definePlugin({
    name: 'heard',
    version: '1.0.0',
    setup({ hooks }) {
      hooks.event.runtime.tap((event) => void events.push(event))
    },
  })

/** Asks until there is an answer. */
export async function until<T>(ask: () => Promise<T | undefined> | T | undefined): Promise<T> {
  for (;;) {
    const found = await ask()
    if (found !== undefined) return found
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

export interface Received {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

export interface Receiver {
  readonly url: string
  readonly received: readonly Received[]
  /** How the next requests are answered. */
  answer: (
    request: Received,
    n: number,
  ) => { status: number; headers?: Record<string, string>; hang?: boolean }
}

/** A target on this machine. */
export async function startReceiver(): Promise<Receiver> {
  const received: Received[] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const one = {
        path: request.url ?? '',
        headers: request.headers,
        body: Buffer.concat(chunks).toString(),
      }
      received.push(one)
      const { status, headers = {}, hang = false } = receiver.answer(one, received.length)
      if (!hang) response.writeHead(status, headers).end('thanks')
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' && address ? address.port : 0
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const receiver: Receiver = {
    url: `http://127.0.0.1:${port}`,
    received,
    answer: () => ({ status: 200 }),
  }
  return receiver
}
