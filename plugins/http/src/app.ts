import { failure, type Logger, type MountedRoute, type Tenancy } from '@amodal/sdk'
import { limitBody } from './body-limit.ts'
import { callerOf } from './caller.ts'
import type { Door, Visit } from './door.ts'
import { crashed, failed, hiddenFailure } from './failed.ts'
import { secured } from './secured.ts'

export interface AppOptions {
  readonly maxBodyBytes: number
  readonly answerTimeoutMs: number
  readonly door: Door
  readonly tenancy: () => Tenancy | undefined
  readonly log: Logger
}

/** One generation's routes behind one function. Never rejects. */
export type App = (request: Request, visit: Visit) => Promise<Response>

/** @param routes the longest prefix first */
export function createApp(routes: readonly MountedRoute[], options: AppOptions): App {
  const find = (path: string): MountedRoute | undefined =>
    routes.find(
      ({ prefix, options: { exact } }) =>
        path === prefix ||
        (exact !== true &&
          path.startsWith(prefix) &&
          (prefix === '/' || path[prefix.length] === '/')),
    )

  return async (request, visit) => {
    const { pathname } = new URL(request.url)
    const route = find(pathname)
    const response = await answer(route, request, visit, options).catch(crashed)
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

/** Strangers learn nothing of what is here, so they are asked who they are first. */
async function answer(
  route: MountedRoute | undefined,
  request: Request,
  visit: Visit,
  options: AppOptions,
): Promise<Response> {
  const admitted = await options.door.admit(request, route, visit)
  if (!admitted.ok) return failed(admitted.error)
  if (!route) return failed(failure('NOT_FOUND', 'there is nothing at this path'))
  const identity = admitted.value
  const { maxBodyBytes, answerTimeoutMs, tenancy } = options
  const limited = limitBody(request, route.options.maxBody ?? maxBodyBytes)
  if (!limited.ok) return failed(limited.error)
  return inTime(answerTimeoutMs, request.signal, async (signal) =>
    route.handler.fetch(limited.value, {
      signal,
      identity,
      caller: (asked) => callerOf(request, identity, asked, tenancy()),
    }),
  )
}

/** The handler's answer; `TIMEOUT` once it has taken too long, or what it threw. */
async function inTime(
  ms: number,
  left: AbortSignal,
  handle: (signal: AbortSignal) => Promise<Response>,
): Promise<Response> {
  const gone = new AbortController()
  left.addEventListener('abort', () => gone.abort(left.reason), { once: true })
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<Response>((resolve) => {
    timer = setTimeout(() => {
      resolve(failed(failure('TIMEOUT', `no answer within ${ms} ms; what was begun goes on`)))
      gone.abort(new DOMException('the answer took too long', 'TimeoutError'))
    }, ms)
    timer.unref()
  })
  try {
    const answered = handle(gone.signal)
    const first = await Promise.race([answered, late])
    // What comes after the deadline is read by nobody: a stream must not wait for a reader.
    void answered
      .then((response) => (response === first ? undefined : response.body?.cancel()))
      .catch(() => undefined)
    return first
  } catch (cause) {
    return crashed(cause)
  } finally {
    clearTimeout(timer)
  }
}
