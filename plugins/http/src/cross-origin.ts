/** What a page may send, and what it may read of an answer, beside what every page may. */
const MAY_SEND =
  'authorization, content-type, idempotency-key, last-event-id, x-api-key, x-scope-id'
const MAY_READ = 'retry-after, www-authenticate'
const METHODS = 'GET, POST, PUT, PATCH, DELETE'

export interface CrossOriginOptions {
  /** Exactly as a browser names them: `https://app.example.com`. */
  readonly origins: readonly string[]
  /** For how long a browser need not ask again. */
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
   * The answer to a browser that asks before it sends. Nobody is asked who they are: it carries no
   * credential.
   */
  preflight(request: Request): Response | undefined {
    if (request.method !== 'OPTIONS' || !request.headers.has('access-control-request-method'))
      return undefined
    return new Response(null, {
      status: 204,
      headers: {
        'access-control-allow-methods': METHODS,
        'access-control-allow-headers': MAY_SEND,
        'access-control-max-age': String(this.#maxAgeSeconds),
      },
    })
  }

  /**
   * Says in an answer whether its page may read it.
   * @param origin of the page, where it is allowed
   */
  mark({ headers }: Response, origin: string | undefined): void {
    if (this.#origins.size === 0) return
    headers.append('vary', 'origin')
    if (origin === undefined) return
    headers.set('access-control-allow-origin', origin)
    headers.set('access-control-expose-headers', MAY_READ)
    headers.set('cross-origin-resource-policy', 'cross-origin')
  }
}

/** An origin, and nothing beside it. */
export const isOrigin = (text: string): boolean => {
  const url = URL.parse(text)
  return (
    url !== null && (url.protocol === 'https:' || url.protocol === 'http:') && url.origin === text
  )
}
