import { failure, type Logger, type MountedRoute, type Tenancy } from '@amodal/sdk'
import { limitBody } from './body-limit.ts'
import { callerOf } from './caller.ts'
import type { AdmissionControl, ClientInfo } from './admission-control.ts'
import { crashed, failed, hiddenFailure } from './failed.ts'
import { matcherOf } from './route-list.ts'
import { secured } from './secured.ts'

export interface AppOptions {
  readonly maxBodyBytes: number
  readonly answerTimeoutMs: number
  readonly admission: AdmissionControl
  readonly tenancy: () => Tenancy | undefined
  readonly log: Logger
}

/** One generation's routes behind one function. Never rejects. */
export type App = (request: Request, client: ClientInfo) => Promise<Response>

/** @param routes the longest prefix first */
export function createApp(routes: readonly MountedRoute[], options: AppOptions): App {
  const matching = routes.map((route) => ({ route, matches: matcherOf(route) }))
  const find = (path: string): MountedRoute | undefined =>
    matching.find(({ matches }) => matches(path))?.route

  return async (request, client) => {
    const { pathname } = new URL(request.url)
    const route = find(pathname)
    const response = await respond(route, request, client, options).catch(crashed)
    const hidden = hiddenFailure(response)
    if (hidden)
      options.log.error('http.failed', {
        id: hidden.id,
        method: request.method,
        path: pathname,
        plugin: route?.plugin,
        error: hidden.failure,
      })
    else
      options.log.debug('http.answered', {
        method: request.method,
        path: pathname,
        status: response.status,
      })
    return secured(response)
  }
}

/** Authenticates first: an unauthenticated caller must not learn which routes exist. */
async function respond(
  route: MountedRoute | undefined,
  request: Request,
  client: ClientInfo,
  options: AppOptions,
): Promise<Response> {
  const admitted = await options.admission.admit(request, route, client)
  if (!admitted.ok) return challenged(failed(admitted.error), route, request)
  if (!route) return failed(failure('NOT_FOUND', 'there is nothing at this path'))
  // No database stores NUL in a text. A path that contains one is unknown, like any unknown name.
  if (/\?.*%00/s.test(request.url))
    return failed(failure('VALIDATION_ERROR', 'the query holds a NUL character (%00): remove it'))
  const identity = admitted.value
  const { maxBodyBytes, answerTimeoutMs, tenancy } = options
  const limited = limitBody(request, route.options.maxBody ?? maxBodyBytes)
  if (!limited.ok) return failed(limited.error)
  return withDeadline(answerTimeoutMs, request.signal, async (signal) =>
    route.handler.fetch(limited.value, {
      signal,
      identity,
      from: client.from,
      caller: (requestedScope) => callerOf(request, identity, requestedScope, tenancy()),
    }),
  )
}

/** A refusal with the route's information on how to authenticate. */
function challenged(
  response: Response,
  route: MountedRoute | undefined,
  request: Request,
): Response {
  const own = response.headers.get('www-authenticate')
  const more = own === null ? '' : (route?.options.challenge?.(request) ?? '')
  if (more !== '') response.headers.set('www-authenticate', `${own}, ${more}`)
  return response
}

/** The handler's response; `TIMEOUT` after the deadline; a 500 where the handler threw. */
async function withDeadline(
  ms: number,
  clientSignal: AbortSignal,
  handle: (signal: AbortSignal) => Promise<Response>,
): Promise<Response> {
  const controller = new AbortController()
  clientSignal.addEventListener('abort', () => controller.abort(clientSignal.reason), {
    once: true,
  })
  let timer: ReturnType<typeof setTimeout> | undefined
  const deadline = new Promise<Response>((resolve) => {
    timer = setTimeout(() => {
      resolve(
        failed(
          failure('TIMEOUT', `no response within ${ms} ms; the work that was started continues`),
        ),
      )
      controller.abort(new DOMException('the response took too long', 'TimeoutError'))
    }, ms)
    timer.unref()
  })
  try {
    const responding = handle(controller.signal)
    const first = await Promise.race([responding, deadline])
    // A response after the deadline has no reader: cancel its body, or its stream would wait.
    void responding
      .then((response) => (response === first ? undefined : response.body?.cancel()))
      .catch(() => undefined)
    return first
  } catch (cause) {
    return crashed(cause)
  } finally {
    clearTimeout(timer)
  }
}
