// An MCP server over HTTP that lets nobody in without a token, and the authorization server that
// gives them: metadata, registration, codes with PKCE, refresh tokens that are good for one use.
import { createHash, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'

type Row = Readonly<Record<string, unknown>>

export interface GuardedServer {
  readonly url: string
  readonly issuer: string
  /** Requests to the token endpoint, by their grant. */
  readonly grants: string[]
  /** Tokens that were given out, all of them. */
  readonly tokens: readonly string[]
  /** Tokens that were taken back. */
  readonly revoked: readonly string[]
  /** Names of clients that have registered. */
  readonly clients: readonly string[]
  /** Access tokens that were given out so far end. */
  expire(): void
  /** Refresh tokens end as well. */
  revoke(): void
  close(): void
}

export interface GuardedOptions {
  /** Seconds that an access token is good for. */
  readonly life?: number
  /** ms that a refresh takes. */
  readonly slow?: number
  /** What is wanted for calls of the tool `write`. */
  readonly writeScope?: string
  /** Says what its request was sent with. */
  readonly echoes?: boolean
  /** A real server at this address, whose door this is; its path is kept. */
  readonly upstream?: string
  /** Another server's address, as the one that gives tokens. */
  readonly issuer?: string
}

export async function guardedServer(options: GuardedOptions = {}): Promise<GuardedServer> {
  const state = new State(options)
  const server = createServer(
    (request, response) =>
      void state.take(request, response).catch((cause: unknown) => {
        if (response.headersSent) response.destroy()
        else response.writeHead(500).end(String(cause))
      }),
  ).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  state.origin = `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`
  return {
    url: `${state.origin}${state.path}`,
    issuer: state.origin,
    grants: state.grants,
    tokens: state.given,
    clients: state.clients,
    revoked: state.revoked,
    expire: () => state.access.clear(),
    revoke: () => {
      state.access.clear()
      state.refresh.clear()
    },
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}

class State {
  origin = ''
  readonly grants: string[] = []
  readonly given: string[] = []
  readonly clients: string[] = []
  readonly revoked: string[] = []
  readonly access = new Map<string, string>()
  readonly refresh = new Map<string, string>()
  readonly #codes = new Map<string, { readonly challenge: string; readonly scope: string }>()
  readonly #options: GuardedOptions

  constructor(options: GuardedOptions) {
    this.#options = options
  }

  get path(): string {
    const { upstream } = this.#options
    return upstream === undefined ? '/mcp' : new URL(upstream).pathname
  }

  async take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? '/', this.origin)
    let text = ''
    for await (const chunk of request) text += String(chunk)
    if (pathname === `${PROTECTED}${this.path}`)
      return json(response, 200, {
        resource: `${this.origin}${this.path}`,
        authorization_servers: [this.#options.issuer ?? this.origin],
      })
    switch (pathname) {
      case '/.well-known/oauth-authorization-server':
        return json(response, 200, {
          issuer: this.origin,
          authorization_endpoint: `${this.origin}/authorize`,
          token_endpoint: `${this.origin}/token`,
          registration_endpoint: `${this.origin}/register`,
          revocation_endpoint: `${this.origin}/revoke`,
          response_types_supported: ['code'],
          code_challenge_methods_supported: ['S256'],
          token_endpoint_auth_methods_supported: ['none', 'client_secret_basic'],
          authorization_response_iss_parameter_supported: true,
        })
      case '/register':
        return this.#register(response, JSON.parse(text) as Row)
      case '/authorize':
        return this.#authorize(response, searchParams)
      case '/revoke':
        this.revoked.push(new URLSearchParams(text).get('token') ?? '')
        return void response.writeHead(200).end()
      case '/token':
        return this.#token(response, new URLSearchParams(text))
      case '/mcp':
        return this.#serve(request, response, text)
      default:
        return this.#options.upstream === undefined
          ? void response.writeHead(404).end()
          : this.#serve(request, response, text)
    }
  }

  #register(response: ServerResponse, client: Row): void {
    const id = `client-${randomUUID()}`
    this.clients.push(id)
    json(response, 201, { ...client, client_id: id, token_endpoint_auth_method: 'none' })
  }

  /** Whoever comes is let through at once. */
  #authorize(response: ServerResponse, params: URLSearchParams): void {
    const code = randomUUID()
    const challenge = params.get('code_challenge') ?? ''
    this.#codes.set(code, { challenge, scope: params.get('scope') ?? '' })
    const back = new URL(params.get('redirect_uri') ?? '')
    back.searchParams.set('code', code)
    back.searchParams.set('state', params.get('state') ?? '')
    back.searchParams.set('iss', this.origin)
    response.writeHead(302, { location: back.href }).end()
  }

  async #token(response: ServerResponse, params: URLSearchParams): Promise<void> {
    const grant = params.get('grant_type') ?? ''
    this.grants.push(grant)
    const scope =
      grant === 'refresh_token'
        ? take(this.refresh, params.get('refresh_token') ?? '')
        : this.#scopeOfCode(params)
    if (scope === undefined) return json(response, 400, { error: 'invalid_grant' })
    if (grant === 'refresh_token')
      await new Promise((resolve) => {
        setTimeout(resolve, this.#options.slow ?? 0)
      })
    const access = `access-${randomUUID()}`
    const refresh = `refresh-${randomUUID()}`
    this.access.set(access, scope)
    this.refresh.set(refresh, scope)
    this.given.push(access, refresh)
    json(response, 200, {
      access_token: access,
      refresh_token: refresh,
      token_type: 'Bearer',
      expires_in: this.#options.life ?? 3_600,
      ...(scope !== '' && { scope }),
    })
  }

  #scopeOfCode(params: URLSearchParams): string | undefined {
    const code = take(this.#codes, params.get('code') ?? '')
    const proof = createHash('sha256').update(params.get('code_verifier') ?? '')
    return code?.challenge === proof.digest('base64url') ? code.scope : undefined
  }

  async #forward(
    { method = 'GET', url = '/', headers }: IncomingMessage,
    response: ServerResponse,
    text: string,
  ): Promise<void> {
    const kept = [
      'accept',
      'content-type',
      'mcp-session-id',
      'mcp-protocol-version',
      'last-event-id',
    ]
    const answer = await fetch(new URL(url, this.#options.upstream), {
      method,
      headers: Object.fromEntries(
        kept.flatMap((name) => {
          const value = headers[name]
          return typeof value === 'string' ? [[name, value]] : []
        }),
      ),
      ...(text !== '' && { body: text }),
    })
    response.writeHead(answer.status, Object.fromEntries(answer.headers))
    response.flushHeaders()
    for await (const chunk of answer.body ?? []) response.write(chunk)
    response.end()
  }

  #serve(request: IncomingMessage, response: ServerResponse, text: string): void | Promise<void> {
    const [, token = ''] = /^Bearer (.+)$/.exec(request.headers.authorization ?? '') ?? []
    const scope = this.access.get(token)
    const metadata = `resource_metadata="${this.origin}${PROTECTED}${this.path}"`
    if (scope === undefined)
      return void response
        .writeHead(401, { 'www-authenticate': `Bearer scope="read", ${metadata}` })
        .end()
    if (this.#options.upstream !== undefined) return this.#forward(request, response, text)
    if (request.method !== 'POST') return void response.writeHead(405).end()
    const { id, method, params } = JSON.parse(text) as {
      readonly id?: number
      readonly method: string
      readonly params?: Row
    }
    const { writeScope, echoes } = this.#options
    const isWrite = method === 'tools/call' && params?.['name'] === 'write'
    if (isWrite && writeScope !== undefined && !scope.split(' ').includes(writeScope))
      return void response
        .writeHead(403, {
          'www-authenticate': `Bearer error="insufficient_scope", scope="${writeScope}", ${metadata}`,
        })
        .end()
    if (id === undefined) return void response.writeHead(202).end()
    const result = resultOf(method, echoes === true ? `sent with ${token}` : `scope ${scope}`)
    json(
      response,
      200,
      result
        ? { jsonrpc: '2.0', id, result }
        : { jsonrpc: '2.0', id, error: { code: -32601, message: 'Method not found' } },
    )
  }
}

const PROTECTED = '/.well-known/oauth-protected-resource'

function resultOf(method: string, words: string): Row | undefined {
  switch (method) {
    case 'initialize':
      return {
        protocolVersion: '2025-06-18',
        capabilities: { tools: {} },
        serverInfo: { name: 'guarded', version: '1' },
      }
    case 'tools/list':
      return {
        tools: ['read', 'write'].map((name) => ({
          name,
          inputSchema: { type: 'object' },
          annotations: { readOnlyHint: name === 'read' },
        })),
      }
    case 'tools/call':
      return { content: [{ type: 'text', text: words }] }
    default:
      return undefined
  }
}

function take<T>(map: Map<string, T>, key: string): T | undefined {
  const value = map.get(key)
  map.delete(key)
  return value
}

const json = (response: ServerResponse, status: number, body: Row): void =>
  void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
