import { createServer } from 'node:http'
import { once } from 'node:events'
import {
  definePlugin,
  explain,
  Kernel,
  Log,
  RefusalListeners,
  unwrap,
  use,
  type Entry,
  type Identity,
  type Logger,
  type Refusal,
  type RouteOptions,
} from '@amodal/sdk'
import { http } from '@amodal/plugin-http'
import { HttpApp } from '@amodal/plugin-http/tokens'
import { outbound } from '@amodal/plugin-outbound'
import { secretsEnv } from '@amodal/plugin-secrets-env'
import { auth } from '../src/index.ts'

export interface Line {
  readonly level: string
  readonly event: string
  readonly data: Readonly<Record<string, unknown>>
}

export interface Served extends AsyncDisposable {
  readonly kernel: Kernel
  readonly lines: readonly Line[]
  readonly refusals: readonly Refusal[]
  get(path: string, headers?: Readonly<Record<string, string>>): Promise<Response>
  post(path: string, body: object, headers?: Readonly<Record<string, string>>): Promise<Response>
  /** What a handler is told of who asks. */
  whoami(credential?: string): Promise<Identity | null>
}

export interface ServerOptions {
  readonly env?: Readonly<Record<string, string>>
  readonly http?: Readonly<Record<string, unknown>>
  readonly with?: readonly Entry[]
}

/** A server that tells who asks at `/me`, and has other routes for other scopes. */
const routes = definePlugin({
  name: 'me',
  version: '1.0.0',
  setup({ hooks }) {
    const told = {
      fetch: (_request: Request, { identity }: { readonly identity: Identity | undefined }) =>
        Response.json(identity ?? null),
    }
    const mounted: readonly (readonly [string, RouteOptions])[] = [
      ['/me', { scope: 'chat' }],
      ['/open', { open: true }],
      ['/stores', { scope: 'stores' }],
      ['/mine', {}],
    ]
    hooks.http.routes.tap((table) => {
      for (const [prefix, options] of mounted) table.mount(prefix, told, options)
    })
  },
})

export async function served(
  config: Readonly<Record<string, unknown>> = {},
  options: ServerOptions = {},
): Promise<Served> {
  const lines: Line[] = []
  const refusals: Refusal[] = []
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
  const watching = definePlugin({
    name: 'watching',
    version: '1.0.0',
    provides: [Log],
    setup({ provide, add }) {
      provide(Log, () => logger)
      add(RefusalListeners, 'watching', (refusal) => void refusals.push(refusal))
    },
  })
  const kernel = unwrap(
    await Kernel.create([
      use(watching),
      use(secretsEnv, { env: options.env ?? {}, masterKey: 'memory' }),
      use(outbound),
      ...(options.with ?? []),
      use(http, { port: 0, ...options.http }),
      use(auth, config),
      use(routes),
    ]),
    explain,
  )
  const address = kernel.scope.get(HttpApp).address()
  if (!address) throw new Error('the server does not listen')
  const get: Served['get'] = (path, headers) =>
    fetch(`http://127.0.0.1:${address.port}${path}`, headers && { headers })
  return {
    kernel,
    lines,
    refusals,
    get,
    post: (path, body, headers) =>
      fetch(`http://127.0.0.1:${address.port}${path}`, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      }),
    whoami: async (credential) =>
      (
        await get(
          '/me',
          credential === undefined ? undefined : { authorization: `Bearer ${credential}` },
        )
      ).json(),
    [Symbol.asyncDispose]: async () => {
      await kernel.close()
    },
  }
}

/** A small web server, such as that of an issuer. */
export interface Listening extends AsyncDisposable {
  readonly url: string
  readonly asked: () => number
}
export async function listening(
  answer: () => { readonly status?: number; readonly body: unknown },
): Promise<Listening> {
  let asked = 0
  const server = createServer((_request, response) => {
    asked++
    const { status = 200, body } = answer()
    response
      .writeHead(status, { 'content-type': 'application/json' })
      .end(typeof body === 'string' ? body : JSON.stringify(body))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (typeof address !== 'object' || address === null) throw new Error('no address')
  return {
    url: `http://127.0.0.1:${address.port}`,
    asked: () => asked,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
