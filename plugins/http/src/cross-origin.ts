/** Headers that a page may send and read in addition to those that CORS always allows. */
const ALLOWED_HEADERS =
  'authorization, content-type, idempotency-key, if-match, if-none-match, last-event-id, mcp-method, mcp-name, mcp-protocol-version, mcp-session-id, x-api-key, x-scope-id'
const EXPOSED_HEADERS = 'mcp-session-id, retry-after, www-authenticate'
const METHODS = 'GET, POST, PUT, PATCH, DELETE'

export interface CrossOriginOptions {
  /** Exactly as a browser names them: `https://app.example.com`. */
  readonly origins: readonly string[]
  /** Seconds for which a browser may cache a preflight response. */
  readonly maxAgeSeconds: number
}

/** Pages of other origins that may call: an exact list, without cookies. */
export class CrossOrigin {
  readonly #origins: ReadonlySet<string>
  readonly #maxAgeSeconds: number

  constructor({ origins, maxAgeSeconds }: CrossOriginOptions) {
    this.#origins = new Set(origins)
    this.#maxAgeSeconds = maxAgeSeconds
  }

  allows(origin: string | undefined): origin is string {
    return origin !== undefined && this.#origins.has(origin)
  }

  /**
   * The response to a preflight request. It is not authenticated: a preflight carries no
   * credential.
   */
  preflight(request: Request): Response | undefined {
    if (request.method !== 'OPTIONS' || !request.headers.has('access-control-request-method'))
      return undefined
    return new Response(null, {
      status: 204,
      headers: {
        'access-control-allow-methods': METHODS,
        'access-control-allow-headers': ALLOWED_HEADERS,
        'access-control-max-age': String(this.#maxAgeSeconds),
      },
    })
  }

  /**
   * Adds the headers that say whether the page may read the response.
   * @param origin of the page, where it is allowed
   */
  addHeaders({ headers }: Response, origin: string | undefined): void {
    if (this.#origins.size === 0) return
    headers.append('vary', 'origin')
    if (origin === undefined) return
    headers.set('access-control-allow-origin', origin)
    headers.set('access-control-expose-headers', EXPOSED_HEADERS)
    headers.set('cross-origin-resource-policy', 'cross-origin')
  }
}

/** Whether a text is an origin, without a path or query. */
export const isOrigin = (text: string): boolean => {
  const url = URL.parse(text)
  return (
    url !== null && (url.protocol === 'https:' || url.protocol === 'http:') && url.origin === text
  )
}
