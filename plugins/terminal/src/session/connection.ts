import { HttpApp, serverCredential } from '@amodal/plugin-http/tokens'
import { LOCAL_IDENTITY, type CommandContext, type Kernel } from '@amodal/sdk'
import { createClient, Reachability, type Client, type ServerReach } from '@amodal/sdk/client'

/** An agent to talk to. */
export interface Connection {
  readonly client: Client
  readonly reach: ServerReach
}

/**
 * Connects to the server of `--url`, or to one that it starts for the agent of the folder, on
 * 127.0.0.1 and the port of `--port`; default: any free port.
 *
 * @param tries in a row that may bring nothing new before a stream is given up
 * @param isDrawn the log must not write between what is drawn on the terminal
 * @returns `undefined` where no plugin of the folder serves HTTP
 */
export async function connect(
  context: CommandContext,
  tries: number,
  isDrawn: boolean,
): Promise<Connection | undefined> {
  const { port, scope, url } = context.options
  const tenant = typeof scope === 'string' ? { scope } : {}
  if (typeof url === 'string') {
    const credential = serverCredential(context, url)
    const reach = new Reachability({ url })
    const options = { url, tries, fetch: reach.fetch, ...tenant }
    return { reach, client: createClient({ ...options, ...(credential && { credential }) }) }
  }
  const kernel = await context.start({
    host: LOOPBACK,
    port: typeof port === 'string' ? Number(port) : 0,
    ...(isDrawn && { logLevel: 'none' }),
  })
  const request = requestsTo(kernel)
  if (!request) return undefined
  const reach = new Reachability({ url: ADDRESS, fetch: request })
  return { reach, client: createClient({ url: ADDRESS, tries, fetch: reach.fetch, ...tenant }) }
}

const LOOPBACK = '127.0.0.1'
const ADDRESS = `http://${LOOPBACK}`

/** Requests to the server in this process, as the person at this terminal. */
function requestsTo(kernel: Kernel): typeof fetch | undefined {
  const app = kernel.scope.find(HttpApp)
  return (
    app &&
    (async (input, init) => {
      const request = new Request(input, init)
      const response = await app.fetch(request, { identity: LOCAL_IDENTITY })
      // as the body of `fetch` does, it ends where the request is aborted
      const body = response.body?.pipeThrough(new TransformStream(), { signal: request.signal })
      return new Response(body, response)
    })
  )
}

/**
 * A server that is waited for only so long.
 *
 * @param ms to wait for it, each time that it cannot be reached
 */
export const impatient = (reach: ServerReach, ms: number): ServerReach => ({
  get isLost() {
    return reach.isLost
  },
  subscribe: (listener) => reach.subscribe(listener),
  back: (signal) => reach.back(AbortSignal.any([signal, AbortSignal.timeout(ms)])),
})
