import { ClientError } from './types.ts'

export interface HttpTransportOptions {
  /** Address of the server, such as `http://127.0.0.1:3847`. */
  readonly url: string
  readonly fetch?: typeof fetch
  /** An API key or a token of the caller. */
  readonly credential?: string
  /** The scope, where the credential does not determine it. */
  readonly scope?: string
  /** Sent with every request. */
  readonly headers?: Readonly<Record<string, string>>
  /** ms for a response that is not a stream; default 30,000. */
  readonly timeoutMs?: number
}

export interface HttpRequest {
  readonly method?: string
  readonly body?: unknown
  /** Sent as it is, in place of `body`. */
  readonly file?: Blob
  readonly headers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal | undefined
}

/** Ends a request. */
export type Signal = Pick<HttpRequest, 'signal'>

/** Sends requests to one server. */
export class HttpTransport {
  readonly #options: HttpTransportOptions

  constructor(options: HttpTransportOptions) {
    this.#options = options
  }

  /**
   * A response as JSON; throws {@link ClientError} where there is none, or where it is an error.
   */
  async json<T>(path: string, request: HttpRequest = {}): Promise<T> {
    const limit = AbortSignal.timeout(this.#options.timeoutMs ?? 30_000)
    const { signal = limit } = request
    try {
      const response = await this.open(path, {
        ...request,
        signal: AbortSignal.any([signal, limit]),
      })
      return (await response.json()) as T // the server's contract
    } catch (cause) {
      throw request.signal?.aborted ? cause : unreachable(cause)
    }
  }

  /** A response that is not an error, with its body unread. */
  async open(
    path: string,
    { method = 'GET', body, file, headers, signal }: HttpRequest,
  ): Promise<Response> {
    const { url, fetch: request = fetch, headers: always, credential, scope } = this.#options
    const credentials = {
      ...(credential !== undefined && { authorization: `Bearer ${credential}` }),
      ...(scope !== undefined && { 'x-scope-id': scope }),
    }
    let response: Response
    try {
      response = await request(url.replace(/\/+$/, '') + path, {
        method,
        headers: {
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...credentials,
          ...always,
          ...headers,
        },
        ...payloadOf(body, file),
        ...(signal && { signal }),
      })
    } catch (cause) {
      throw signal?.aborted ? cause : unreachable(cause)
    }
    if (!response.ok) throw await refused(response)
    return response
  }
}

const payloadOf = (body: unknown, file: Blob | undefined): Pick<RequestInit, 'body'> => {
  if (file) return { body: file }
  return body === undefined ? {} : { body: JSON.stringify(body) }
}

/** What the client itself says stays as it is. */
const unreachable = (cause: unknown): ClientError =>
  cause instanceof ClientError
    ? cause
    : new ClientError(
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
