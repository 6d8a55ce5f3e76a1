import { ok, type Failure, type Result } from '@amodal/sdk'
import { nameOf, refused } from './address.ts'

/** Redirects that are followed before the target counts as broken. */
export const MAX_REDIRECTS = 5

const SAFE = new Set(['GET', 'HEAD', 'OPTIONS'])
const REDIRECTS = new Set([301, 302, 303, 307, 308])

/** Headers that say nothing of who asks; all others stay with the origin they were meant for. */
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
 * Where a redirect leads. Only safe methods are followed: for any other, the redirect itself is the
 * answer. Across origins every header that could be a credential is left behind, and https never
 * falls back to http.
 *
 * @param permitted whether a URL may be called
 * @returns the next hop, `undefined` where the response is the answer, or `OUTBOUND_REFUSED`.
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
    return refused(`${nameOf(from.url)} redirects more than ${MAX_REDIRECTS} times`)
  const parsed = URL.parse(location, from.url)
  if (parsed === null)
    return refused(`${nameOf(from.url)} redirects to an address that is no valid URL`)
  const target = permitted(parsed)
  if (!target.ok) return target
  if (target.value.origin === from.url.origin)
    return ok({ url: target.value, headers: from.headers })
  if (from.url.protocol === 'https:' && target.value.protocol === 'http:') {
    return refused(`${nameOf(from.url)} redirects from https to http (${nameOf(target.value)})`)
  }
  return ok({
    url: target.value,
    headers: new Headers([...from.headers].filter(([name]) => NEUTRAL.has(name))),
  })
}
