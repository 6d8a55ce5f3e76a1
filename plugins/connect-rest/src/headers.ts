import { err, ok, type Json, type Result } from '@amodal/sdk'
import { isNumber } from '@amodal/sdk/data'

/** Headers that carry credentials, frame the request or choose its target. */
const REFUSED = new Set([
  'host',
  'authorization',
  'proxy-authorization',
  'proxy-authenticate',
  'cookie',
  'content-length',
  'content-encoding',
  'transfer-encoding',
  'connection',
  'proxy-connection',
  'upgrade',
  'te',
  'trailer',
  'keep-alive',
  'expect',
  'via',
  'forwarded',
  'x-real-ip',
  'x-client-ip',
  'true-client-ip',
  'x-cluster-client-ip',
  'x-original-url',
  'x-rewrite-url',
  'x-original-host',
  'x-host',
  'x-http-host-override',
  'x-amz-security-token',
  'http2-settings',
  'alt-used',
])

/** Headers by which a request says that it is another one. */
export const OVERRIDES = ['x-http-method-override', 'x-method-override', 'x-http-method']

/**
 * Headers of a caller, names in lower case.
 *
 * @param own headers that the connection fills itself, in lower case: a caller may not set them
 */
export function canonicalHeaders(
  given: Json | undefined,
  own: ReadonlySet<string>,
): Result<Readonly<Record<string, string>>, string> {
  const headers = new Map<string, string>()
  for (const [name, value] of Object.entries(given ?? {}) as [string, Json][]) {
    const lower = name.toLowerCase()
    if (!/^[!#$%&'*+.^_`|~0-9a-z-]+$/.test(lower) || !/^[\x21-\x7e]+$/.test(name))
      return err('the name of a header holds characters that no header may')
    if (
      REFUSED.has(lower) ||
      lower.startsWith('x-forwarded') ||
      lower.startsWith('sec-') ||
      own.has(lower)
    )
      return err(`the header ${name} cannot be passed: the connection decides it`)
    if (headers.has(lower)) return err(`the header ${name} is there twice`)
    if (typeof value !== 'string' && !isNumber(value) && typeof value !== 'boolean')
      return err(`the header ${name} is no text`)
    if (!/^[\t\x20-\x7e\x80-\xff]*$/.test(String(value)))
      return err(`the value of the header ${name} holds characters that no header may`)
    headers.set(lower, String(value).trim())
  }
  return ok(Object.fromEntries(headers))
}
