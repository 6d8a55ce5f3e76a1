import { ok, type Failure, type OutboundRequest, type Result } from '@amodal/sdk'
import { refused } from './address.ts'
import { readProxy } from './proxies.ts'
import { isSafe } from './redirect.ts'
import type { Sending } from './send.ts'

/**
 * Converts a request to the arguments of `fetch`. Its key is sent as `Idempotency-Key` unless the
 * method is idempotent.
 */
export function readRequest(request: OutboundRequest): Result<Sending, Failure> {
  const method = request.method.toUpperCase()
  const headers = new Headers()
  for (const [name, value] of Object.entries(request.headers ?? {})) {
    if (!isHeader(name, value))
      return refused(
        'a request header is not valid: a name or value holds characters that no header may',
      ) // which could be a secret
    if (OURS.has(name.toLowerCase()))
      return refused(`the request header '${name.toLowerCase()}' is made by the connection itself`)
    headers.set(name, value)
  }
  if (request.key !== undefined && !isSafe(method)) headers.set('idempotency-key', request.key)
  const proxy = proxyOf(request.proxy)
  if (!proxy.ok) return proxy
  const { body } = request
  if (body !== undefined && isSafe(method)) return refused(`a ${method} request carries no body`)
  const init: RequestInit =
    body === undefined ? {} : { body: typeof body === 'string' ? body : new Uint8Array(body) }
  return ok({
    method,
    headers,
    init,
    lease: request.lease,
    signal: request.signal,
    privateOrigin: request.privateOrigin,
    proxy: proxy.value,
  })
}

function proxyOf(setting: string | false | undefined): Result<URL | false | undefined, Failure> {
  if (setting === undefined || setting === false) return ok(setting)
  const proxy = readProxy(setting)
  return proxy ? ok(proxy) : refused('the proxy is no URL such as http://proxy.example:3128')
}

/** The same for the arguments of `fetch`. */
export function readFetch(
  input: string | URL | Request,
  init: RequestInit,
): Sending & { readonly address: string | URL } {
  if (input instanceof Request) {
    const { method, headers, body, signal } = input
    const own = body === null ? {} : { body, duplex: 'half' }
    return readFetch(input.url, { method, headers, signal, ...own, ...init })
  }
  const headers = new Headers(init.headers)
  for (const name of OURS) headers.delete(name)
  return {
    address: input,
    method: (init.method ?? 'GET').toUpperCase(),
    headers,
    init,
    signal: init.signal ?? undefined,
  }
}

/**
 * Headers that are made from the URL and the connection; a different value could address another
 * host than the one that was checked.
 */
const OURS: ReadonlySet<string> = new Set([
  'host',
  'connection',
  'keep-alive',
  'proxy-connection',
  'transfer-encoding',
  'upgrade',
  'te',
  'trailer',
  'content-length',
])

function isHeader(name: string, value: string): boolean {
  try {
    new Headers([[name, value]])
    return true
  } catch {
    return false // the platform's own text quotes the value
  }
}
