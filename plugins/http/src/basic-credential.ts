/** Headers that browsers add to requests, and programs do not. */
const OF_BROWSERS = ['origin', 'sec-fetch-site'] as const

/**
 * The request with the password of its Basic credential as a Bearer token: any user name counts. A
 * request of a browser is returned as it is, since browsers attach a Basic credential that a person
 * has entered to requests of foreign pages as well.
 */
export function passwordAsToken(request: Request): Request {
  if (OF_BROWSERS.some((name) => request.headers.has(name))) return request
  const encoded = /^basic +([\w+/=-]+)$/i.exec(request.headers.get('authorization') ?? '')?.[1]
  if (encoded === undefined) return request
  const text = Buffer.from(encoded, 'base64').toString('utf8')
  const token = text.slice(text.indexOf(':') + 1)
  if (!/^[\x21-\x7e]+$/.test(token)) return request
  const headers = new Headers(request.headers)
  headers.set('authorization', `Bearer ${token}`)
  return new Request(request.url, { method: request.method, headers })
}
