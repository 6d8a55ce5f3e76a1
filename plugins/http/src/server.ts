import { createServer, ServerResponse, STATUS_CODES, type Server } from 'node:http'
import type { BlockList, Socket } from 'node:net'
import { getRequestListener, type Http2Bindings, type HttpBindings } from '@hono/node-server'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import {
  err,
  failure,
  messageOf,
  ok,
  type Code,
  type StreamSource,
  type Failure,
  type Logger,
  type Result,
  onAbort,
} from '@amodal/sdk'
import { streamSourceOf } from '@amodal/sdk/wire'
import { clientAddress } from './client-address.ts'
import type { CrossOrigin } from './cross-origin.ts'
import type { ClientInfo } from './admission-control.ts'
import { failed } from './failed.ts'
import { ResponseSink } from './response-sink.ts'
import { rejectForeign, isLoopback } from './same-origin.ts'
import { secured } from './secured.ts'

const HEADERS_MS = 10_000
const KEEP_ALIVE_MS = 60_000
/** How often connections without a request are closed while draining. */
const SWEEP_MS = 50

export interface ServerOptions {
  readonly host: string
  /** 0: any free port. */
  readonly port: number
  /** ms for a request to arrive completely. */
  readonly requestTimeoutMs: number
  /** ms that a slow reader of a stream has to catch up. */
  readonly slowReaderMs: number
  /** Pages of other origins that may call. */
  readonly crossOrigin: CrossOrigin
  /** Trusted proxies, whose `X-Forwarded-For` is believed. */
  readonly proxies: BlockList
  readonly fetch: (request: Request, client: ClientInfo) => Promise<Response>
  readonly log: Logger
}

/** The HTTP server: it checks host and origin, then calls the routes. */
export class HttpServer {
  readonly #options: ServerOptions
  readonly #server: Server
  readonly #sockets = new Set<Socket>()
  readonly #responses = new Set<ServerResponse>()
  #draining = false

  constructor(options: ServerOptions) {
    this.#options = options
    const { requestTimeoutMs, host } = options
    const listener = getRequestListener((request, bindings) => this.#respond(request, bindings), {
      hostname: host,
      overrideGlobalObjects: false, // `Request` and `Response` are shared by the process
      errorHandler: (cause) =>
        secured(
          failed(failure('VALIDATION_ERROR', `this is not a valid request: ${messageOf(cause)}`)),
        ),
    })
    this.#server = createServer(
      {
        requestTimeout: requestTimeoutMs,
        headersTimeout: Math.min(HEADERS_MS, requestTimeoutMs),
        keepAliveTimeout: KEEP_ALIVE_MS,
        connectionsCheckingInterval: Math.min(5_000, requestTimeoutMs),
      },
      (incoming, outgoing) => {
        this.#responses.add(outgoing)
        outgoing.once('close', () => this.#responses.delete(outgoing))
        void listener(incoming, outgoing)
      },
    )
    this.#server.on('clientError', refuse)
    this.#server.on('connection', (socket) => {
      this.#sockets.add(socket)
      socket.once('close', () => this.#sockets.delete(socket))
    })
  }

  /** Resolves once requests are accepted; `PORT_IN_USE` names the address and the next step. */
  listen(): Promise<Result<void, Failure>> {
    const { host, port } = this.#options
    return new Promise((resolve) => {
      const broken = (cause: NodeJS.ErrnoException): void =>
        resolve(err(cannotListen(host, port, cause)))
      this.#server.once('error', broken)
      this.#server.listen({ host, port }, () => {
        this.#server.off('error', broken)
        this.#server.on('error', (cause) =>
          this.#options.log.error('http.socket_failed', { error: cause }),
        )
        resolve(ok(undefined))
      })
    })
  }

  address(): { readonly host: string; readonly port: number } | undefined {
    const address = this.#server.address()
    return typeof address === 'object' && address !== null
      ? { host: address.address, port: address.port }
      : undefined
  }

  /**
   * Accepts no new connection and waits for requests in progress; closes all connections when
   * `signal` aborts.
   */
  async close(signal: AbortSignal): Promise<void> {
    this.#draining = true
    if (!this.#server.listening) return
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()))
    const sweep = setInterval(() => this.#closeIdle(), SWEEP_MS)
    this.#closeIdle()
    const leave = onAbort(signal, () => this.#server.closeAllConnections())
    await closed
    clearInterval(sweep)
    leave()
  }

  /**
   * Node does not count a connection that has sent nothing yet as idle, and browsers keep some
   * open in advance.
   */
  #closeIdle(): void {
    const busy = new Set([...this.#responses].map(({ req }) => req.socket))
    for (const socket of this.#sockets) if (!busy.has(socket)) socket.destroy()
  }

  async #respond(
    request: Request,
    { incoming, outgoing }: HttpBindings | Http2Bindings,
  ): Promise<Response> {
    const { host, origin } = incoming.headers
    const direct = outgoing instanceof ServerResponse ? outgoing : undefined
    if (direct && this.#draining) direct.shouldKeepAlive = false
    const { crossOrigin, proxies, fetch } = this.#options
    const allowedOrigin = crossOrigin.allows(origin) ? origin : undefined
    const refused = rejectForeign(
      host,
      allowedOrigin === undefined ? origin : undefined,
      isLoopback(this.#options.host),
    )
    const from = clientAddress(
      incoming.socket.remoteAddress ?? '',
      incoming.headers['x-forwarded-for']?.toString(),
      proxies,
    )
    const preflight = allowedOrigin === undefined ? undefined : crossOrigin.preflight(request)
    const early = refused ? failed(refused) : preflight
    const response = early ? secured(early) : await fetch(request, { from })
    crossOrigin.addHeaders(response, allowedOrigin)
    const source = streamSourceOf(response)
    return source && direct ? this.#stream(source, response, direct) : response
  }

  /** Writes straight to the socket: a web stream in between costs more than everything else. */
  #stream(source: StreamSource, { status, headers }: Response, outgoing: ServerResponse): Response {
    outgoing.writeHead(status, Object.fromEntries(headers))
    source
      .send(new ResponseSink(outgoing, this.#options.slowReaderMs, source.maxPendingBytes))
      .catch((cause: unknown) => {
        this.#options.log.error('http.stream_failed', { error: cause })
        outgoing.destroy() // a stream without an end tells the reader to resume
      })
    return RESPONSE_ALREADY_SENT
  }
}

function cannotListen(host: string, port: number, cause: NodeJS.ErrnoException): Failure {
  switch (cause.code) {
    case 'EADDRINUSE':
      return failure(
        'PORT_IN_USE',
        `port ${port} on ${host} is in use: stop the other process, or choose another port with --port`,
        { cause },
      )
    case 'EACCES':
      return failure(
        'PORT_IN_USE',
        `port ${port} on ${host} is not open to this user: choose one above 1023 with --port`,
        { cause },
      )
    default:
      return failure('INTERNAL', `cannot listen on ${host}:${port}: ${cause.message}`, { cause })
  }
}

/**
 * A request that the parser refused has no `Request`; the response is written to the socket, unless
 * bytes were written to it already.
 */
function refuse(cause: NodeJS.ErrnoException, socket: Socket): void {
  if (!socket.writable || socket.bytesWritten > 0) return void socket.destroy()
  const [status, code, message] = reasonOf(cause)
  const body = JSON.stringify({ error: { code, message } })
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
  )
}

function reasonOf(
  cause: NodeJS.ErrnoException,
): readonly [status: number, code: Code, message: string] {
  switch (cause.code) {
    case 'HPE_HEADER_OVERFLOW':
      return [431, 'TOO_LARGE', 'the headers are too large']
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return [408, 'TIMEOUT', 'the request did not arrive in time']
    default:
      return [400, 'VALIDATION_ERROR', 'this is not a valid HTTP request']
  }
}
