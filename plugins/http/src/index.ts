import {
  Authenticator,
  Commands,
  definePlugin,
  PluginError,
  RefusalListeners,
  type Code,
  timeLimit,
} from '@amodal/sdk'
import { z } from 'zod'
import { isNetwork, proxiesOf } from './client-address.ts'
import { CrossOrigin, isOrigin } from './cross-origin.ts'
import { devCommand, startCommand } from './dev-command.ts'
import { AdmissionControl, type ClientInfo } from './admission-control.ts'
import { mountedRoutes, type Mounted } from './mounted-routes.ts'
import { OPENAPI_PATH, openApiRoute, openApiTexts } from './openapi/openapi-route.ts'
import { isLoopback } from './same-origin.ts'
import { HttpServer } from './server.ts'
import { HttpApp } from './tokens.ts'

/** ms for requests in progress to finish when the server closes without a drain. */
const CLOSE_MS = 1_000

const config = z.strictObject({
  host: z.string().default('127.0.0.1'),
  /** 0: any free port; `HttpApp.address()` returns it. */
  port: z.number().int().min(0).max(65_535).default(3847),
  /** Bytes of a request body, unless the route sets its own limit. */
  maxBodyBytes: z.number().int().positive().default(1_048_576),
  /** ms for a request to arrive completely. */
  requestTimeoutMs: z.number().int().min(100).default(30_000),
  /** ms for a handler to begin its response; a stream may then last any time. */
  answerTimeoutMs: z.number().int().min(100).default(600_000),
  /** ms that a reader of a stream which is 1 MB behind may take to catch up before it is cut. */
  slowReaderMs: z.number().int().min(10).default(10_000),
  /**
   * Allows other machines to connect although requests are not authenticated while there is no
   * key: a proxy in front must authenticate them.
   */
  allowUnauthenticated: z.boolean().default(false),
  /** Pages of other origins that may call. */
  cors: z
    .strictObject({
      origins: z
        .array(z.string().refine(isOrigin, 'must be an origin such as https://app.example.com'))
        .default([]),
      maxAgeSeconds: z.number().int().min(0).max(86_400).default(600),
    })
    .prefault({}),
  /**
   * Addresses and networks of trusted proxies, whose `X-Forwarded-For` is believed.
   */
  proxies: z
    .array(z.string().refine(isNetwork, 'must be an address, or a network such as 10.0.0.0/8'))
    .default([]),
})

/** Serves what plugins mount with `http.routes` on one socket, which stays open over reloads. */
export const http = definePlugin({
  name: 'http',
  version: '0.1.0',
  provides: [HttpApp],
  config,
  reload: 'exclusive',
  setup({ add, config, provide, hooks, onBoot, generation, log, name }) {
    const { host, port, requestTimeoutMs, slowReaderMs, allowUnauthenticated } = config
    const openToAll = isLoopback(host) || allowUnauthenticated
    const refuse = (code: Code, message: string, cause?: unknown): never => {
      throw new PluginError(
        name,
        'boot',
        `http://${host}:${port}`,
        new Error(message, { cause }),
        code,
      )
    }

    const mounted = mountedRoutes({
      name,
      log,
      generation,
      admissionOf: (current) =>
        new AdmissionControl({
          find: (slot) => current.scope.find(slot),
          listeners: () => current.registry(RefusalListeners).values(),
          openToAll,
          log,
        }),
      limits: config,
    })
    const now = (): Mounted =>
      mounted((error) => log.error('http.routes', { message: error.message }))
    const fetch = (request: Request, client: ClientInfo = {}): Promise<Response> =>
      now().app(request, client)

    let server: HttpServer | undefined
    provide(HttpApp, () => ({
      fetch,
      address: () => server?.address(),
      routes: () => now().routes.map(({ prefix }) => prefix),
      needsCredentials: !openToAll,
    }))
    const document = openApiTexts(http.version)
    hooks.http.routes.tap((table) =>
      table.mount(
        OPENAPI_PATH,
        openApiRoute(() => document(now().routes, generation())),
        // any valid credential may read it, whatever it is good for
        { open: true, exact: true },
      ),
    )
    add(Commands, 'dev', devCommand)
    add(Commands, 'start', startCommand)
    onBoot(async () => {
      if (!openToAll && !generation().scope.has(Authenticator)) {
        refuse(
          'NOT_LOOPBACK',
          `${host} can be reached from other machines, and no plugin authenticates requests; bind to 127.0.0.1, or add the plugin "auth"`,
        )
      }
      mounted((error) => {
        throw error
      }) // here, so that clashes stop the start and do not wait for the first request
      const created = new HttpServer({
        host,
        port,
        requestTimeoutMs,
        slowReaderMs,
        crossOrigin: new CrossOrigin(config.cors),
        proxies: proxiesOf(config.proxies),
        fetch,
        log,
      })
      const listening = await created.listen()
      if (!listening.ok)
        return refuse(listening.error.code, listening.error.message, listening.error.cause)
      server = created
      log.info('http.listening', { ...created.address() })
      if (!isLoopback(host) && allowUnauthenticated)
        log.error('http.open', {
          host,
          message:
            'other machines can connect, and while there is no key requests are not authenticated (allowUnauthenticated)',
        })
      return () => created.close(timeLimit(CLOSE_MS, 'requests in progress'))
    })
    hooks.kernel.drain.tap((_reason, { signal }) => server?.close(signal))
  },
})

export default http
