import { failure, type Logger, type MountedRoute } from '@amodal/sdk'
import { limitBody } from './body-limit.ts'
import { crashed, failed, hiddenFailure } from './failed.ts'
import { secured } from './secured.ts'

export interface AppOptions {
  readonly maxBodyBytes: number
  readonly answerTimeoutMs: number
  readonly log: Logger
}

/** One generation's routes behind one function. Never rejects. */
export type App = (request: Request) => Promise<Response>

/** @param routes the longest prefix first */
export function createApp(routes: readonly MountedRoute[], options: AppOptions): App {
  const find = (path: string): MountedRoute | undefined =>
    routes.find(({ prefix }) => path.startsWith(prefix) && (path.length === prefix.length || prefix === '/' || path[prefix.length] === '/'))

  return async (request) => {
    const { pathname } = new URL(request.url)
    const route = find(pathname)
    const response = await (route ? answer(route, request, options) : failed(failure('NOT_FOUND', 'there is nothing at this path')))
    const hidden = hiddenFailure(response)
    if (hidden) options.log.error('http.failed', { id: hidden.id, method: request.method, path: pathname, plugin: route?.plugin, error: hidden.failure })
    else options.log.debug('http.answered', { method: request.method, path: pathname, status: response.status })
    return secured(response)
  }
}

/** The handler's answer; `TIMEOUT` once it has taken too long, or what it threw. */
async function answer(route: MountedRoute, request: Request, { maxBodyBytes, answerTimeoutMs }: AppOptions): Promise<Response> {
  const limited = limitBody(request, route.options.maxBody ?? maxBodyBytes)
  if (!limited.ok) return failed(limited.error)
  const gone = new AbortController()
  request.signal.addEventListener('abort', () => gone.abort(request.signal.reason), { once: true })
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<Response>((resolve) => {
    timer = setTimeout(() => {
      resolve(failed(failure('TIMEOUT', `no answer within ${answerTimeoutMs} ms; what was begun goes on`)))
      gone.abort(new DOMException('the answer took too long', 'TimeoutError'))
    }, answerTimeoutMs)
    timer.unref()
  })
  try {
    const answered = Promise.resolve(route.handler.fetch(limited.value, { signal: gone.signal }))
    const first = await Promise.race([answered, late])
    // What comes after the deadline is read by nobody: a stream must not wait for a reader.
    void answered.then((response) => (response === first ? undefined : response.body?.cancel())).catch(() => undefined)
    return first
  } catch (cause) {
    return crashed(cause)
  } finally {
    clearTimeout(timer)
  }
}
