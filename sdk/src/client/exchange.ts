import { ClientError } from './types.ts'

export interface ExchangeOptions {
  /** Address of the server, such as `http://127.0.0.1:3847`. */
  readonly url: string
  readonly fetch?: typeof fetch
  /** An API key or a token: who asks. */
  readonly credential?: string
  /** Whose data, where the credential does not say it. */
  readonly scope?: string
  /** Sent with every request. */
  readonly headers?: Readonly<Record<string, string>>
  /** ms for an answer that is no stream; 30,000 where it is not given. */
  readonly timeoutMs?: number
}

export interface Asked {
  readonly method?: string
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal | undefined
}

/** Requests to one server. */
export class Exchange {
  readonly #options: ExchangeOptions

  constructor(options: ExchangeOptions) {
    this.#options = options
  }

  /** An answer as JSON; throws {@link ClientError} where there is none, or where it is an error. */
  async json<T>(path: string, asked: Asked = {}): Promise<T> {
    const limit = AbortSignal.timeout(this.#options.timeoutMs ?? 30_000)
    const response = await this.open(path, {
      ...asked,
      signal: asked.signal ? AbortSignal.any([asked.signal, limit]) : limit,
    })
    try {
      return (await response.json()) as T // the server's contract
    } catch (cause) {
      throw unreachable(cause)
    }
  }

  /** A response that is no error, its body not read yet. */
  async open(path: string, { method = 'GET', body, headers, signal }: Asked): Promise<Response> {
    const { url, fetch: request = fetch, headers: always, credential, scope } = this.#options
    const who = {
      ...(credential !== undefined && { authorization: `Bearer ${credential}` }),
      ...(scope !== undefined && { 'x-scope-id': scope }),
    }
    let response: Response
    try {
      response = await request(url.replace(/\/+$/, '') + path, {
        method,
        headers: {
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...who,
          ...always,
          ...headers,
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
        ...(signal && { signal }),
      })
    } catch (cause) {
      if (signal?.aborted) throw cause
      throw unreachable(cause)
    }
    if (!response.ok) throw await refused(response)
    return response
  }
}

const unreachable = (cause: unknown): ClientError =>
  new ClientError(
    'UNREACHABLE',
    `the server cannot be reached: ${cause instanceof Error ? cause.message : String(cause)}`,
    undefined,
    cause,
  )

async function refused(response: Response): Promise<ClientError> {
  const body: unknown = await response.json().catch(() => undefined)
  const error: unknown =
    typeof body === 'object' && body !== null && 'error' in body ? body.error : undefined
  const [code, message] =
    typeof error === 'object' && error !== null && 'code' in error && 'message' in error
      ? [String(error.code), String(error.message)]
      : ['INTERNAL', response.statusText]
  return new ClientError(code, message, response.status)
}
