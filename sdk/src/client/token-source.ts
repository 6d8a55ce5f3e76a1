/** ms before its end at which a token is replaced. */
const EARLY_MS = 30_000
const LIMIT_MS = 15_000

interface Token {
  readonly text: string
  readonly expires: number
}

/**
 * The short-lived tokens of the signed-in person, which the page's own server makes with
 * `POST /auth/tokens`: fetched once for all requests, and anew before they expire or once the
 * agent's server refuses one.
 *
 * @example
 * import { createClient, TokenSource } from '@amodal/sdk/client'
 *
 * const tokens = new TokenSource('/agent-token')
 * const client = createClient({ url: 'https://agent.example', fetch: tokens.fetch })
 */
export class TokenSource {
  readonly #read: () => Promise<Token>
  readonly #request: typeof fetch
  #token: Promise<Token> | undefined

  /**
   * @param source where the page's server returns `{ token, expires_at }` for a `POST`, or the
   *   page's function for a token, which is called for each request
   * @param request sends the requests that have the token. Default: `fetch`
   */
  constructor(
    source: string | (() => string | Promise<string>),
    request: typeof fetch = (input, init) => fetch(input, init),
  ) {
    this.#request = request
    this.#read =
      typeof source === 'string'
        ? () => fetchToken(source)
        : async () => ({ text: await source(), expires: 0 })
  }

  /** `fetch` with the token of the person. Rejects where there is no token to be had. */
  fetch: typeof fetch = async (input, init) => {
    const response = await this.#send(input, init)
    if (response.status !== 401) return response
    this.#token = undefined
    return this.#send(input, init)
  }

  async #send(input: Parameters<typeof fetch>[0], init?: RequestInit): Promise<Response> {
    const headers = new Headers(init?.headers)
    headers.set('authorization', `Bearer ${(await this.#current()).text}`)
    return this.#request(input, { ...init, headers })
  }

  async #current(): Promise<Token> {
    const reading = (this.#token ??= this.#read())
    try {
      const token = await reading
      if (token.expires - EARLY_MS > Date.now() || this.#token !== reading) return token
      this.#token = undefined
      // what a function gives is its own to keep
      return token.expires === 0 || token.expires > Date.now() ? token : await this.#current()
    } catch (cause) {
      this.#token = undefined
      throw cause
    }
  }
}

async function fetchToken(url: string): Promise<Token> {
  const response = await fetch(url, {
    method: 'POST',
    credentials: 'same-origin',
    headers: { accept: 'application/json' },
    signal: AbortSignal.timeout(LIMIT_MS),
  })
  const body: unknown = await response.json().catch(() => undefined)
  if (!response.ok || typeof body !== 'object' || body === null || !('token' in body))
    throw new Error(`${url} answered ${response.status} without a token`)
  const expires = 'expires_at' in body ? Date.parse(String(body.expires_at)) : 0
  return { text: String(body.token), expires: Number.isNaN(expires) ? 0 : expires }
}
