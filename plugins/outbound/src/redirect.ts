import { ok, type Failure, type Result } from '@amodal/sdk'
import { displayUrl, refused } from './address.ts'

/** Redirects that are followed at most. */
export const MAX_REDIRECTS = 5

const SAFE = new Set(['GET', 'HEAD', 'OPTIONS'])
const REDIRECTS = new Set([301, 302, 303, 307, 308])

/** Headers that cannot hold a credential; all others are dropped across origins. */
const NEUTRAL = new Set(['accept', 'accept-language', 'content-language', 'range', 'user-agent'])

/** Methods that change nothing at the target (RFC 9110, 9.2.1), as far as they are used here. */
export function isSafe(method: string): boolean {
  return SAFE.has(method.toUpperCase())
}

export interface Hop {
  readonly url: URL
  readonly headers: Headers
}

/**
 * Resolves a redirect. Only safe methods are followed: for any other, the redirect itself is
 * returned. Across origins every header that could be a credential is dropped, and https never
 * falls back to http.
 *
 * @param permitted checks whether a URL may be requested
 * @returns the next hop, `undefined` when the response is final, or `OUTBOUND_REFUSED`.
 */
export function nextHop(
  response: Response,
  from: Hop,
  method: string,
  hops: number,
  permitted: (url: URL) => Result<URL, Failure>,
): Result<Hop | undefined, Failure> {
  const location = response.headers.get('location')
  if (!REDIRECTS.has(response.status) || location === null || !isSafe(method)) return ok(undefined)
  if (hops >= MAX_REDIRECTS)
    return refused(`${displayUrl(from.url)} redirects more than ${MAX_REDIRECTS} times`)
  const parsed = URL.parse(location, from.url)
  if (parsed === null)
    return refused(`${displayUrl(from.url)} redirects to an address that is no valid URL`)
  const target = permitted(parsed)
  if (!target.ok) return target
  if (target.value.origin === from.url.origin)
    return ok({ url: target.value, headers: from.headers })
  if (from.url.protocol === 'https:' && target.value.protocol === 'http:') {
    return refused(
      `${displayUrl(from.url)} redirects from https to http (${displayUrl(target.value)})`,
    )
  }
  return ok({
    url: target.value,
    headers: new Headers([...from.headers].filter(([name]) => NEUTRAL.has(name))),
  })
}
