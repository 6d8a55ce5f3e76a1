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
} from '@amodal/sdk'
import { streamSourceOf } from '@amodal/sdk/wire'
import { clientAddress } from './client-address.ts'
import type { CrossOrigin } from './cross-origin.ts'
import type { Visit } from './door.ts'
import { failed } from './failed.ts'
import { ResponseSink } from './response-sink.ts'
import { foreign, isLoopback } from './same-origin.ts'
import { secured } from './secured.ts'

const HEADERS_MS = 10_000
const KEEP_ALIVE_MS = 60_000
/** How often connections without a request are closed while draining. */
const SWEEP_MS = 50

export interface ServerOptions {
  readonly host: string
  /** 0: any free port. */
  readonly port: number
  /** ms for a whole request to arrive. */
  readonly requestTimeoutMs: number
  /** ms that a reader of a stream which is too far behind may take to catch up. */
  readonly slowReaderMs: number
  /** Pages of other origins that may call. */
  readonly crossOrigin: CrossOrigin
  /** What stands in front of this server, and is believed when it says whom it forwards. */
  readonly proxies: BlockList
  readonly fetch: (request: Request, visit: Visit) => Promise<Response>
  readonly log: Logger
}

/** The socket in front of the routes. */
export class HttpServer {
  readonly #options: ServerOptions
  readonly #server: Server
  readonly #sockets = new Set<Socket>()
  readonly #answers = new Set<ServerResponse>()
  #draining = false

  constructor(options: ServerOptions) {
    this.#options = options
    const { requestTimeoutMs, host } = options
    const listener = getRequestListener((request, bindings) => this.#answer(request, bindings), {
      hostname: host,
      overrideGlobalObjects: false, // `Request` and `Response` belong to the whole process
      errorHandler: (cause) =>
        secured(
          failed(failure('VALIDATION_ERROR', `this is no valid request: ${messageOf(cause)}`)),
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
        this.#answers.add(outgoing)
        outgoing.once('close', () => this.#answers.delete(outgoing))
        void listener(incoming, outgoing)
      },
    )
    this.#server.on('clientError', refuse)
    this.#server.on('connection', (socket) => {
      this.#sockets.add(socket)
      socket.once('close', () => this.#sockets.delete(socket))
    })
  }

  /** Resolves once requests are taken; `PORT_IN_USE` names the address and the next step. */
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
   * Takes no new connection, and waits for what is under way; what is left when `signal` aborts is
   * cut off.
   */
  async close(signal: AbortSignal): Promise<void> {
    this.#draining = true
    if (!this.#server.listening) return
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()))
    const cut = (): void => this.#server.closeAllConnections()
    const sweep = setInterval(() => this.#closeIdle(), SWEEP_MS)
    this.#closeIdle()
    if (signal.aborted) cut()
    else signal.addEventListener('abort', cut, { once: true })
    await closed
    clearInterval(sweep)
    signal.removeEventListener('abort', cut)
  }

  /**
   * Node counts a connection that has sent nothing yet as one that is about to, and browsers keep
   * some ready.
   */
  #closeIdle(): void {
    const busy = new Set([...this.#answers].map(({ req }) => req.socket))
    for (const socket of this.#sockets) if (!busy.has(socket)) socket.destroy()
  }

  async #answer(
    request: Request,
    { incoming, outgoing }: HttpBindings | Http2Bindings,
  ): Promise<Response> {
    const { host, origin } = incoming.headers
    const direct = outgoing instanceof ServerResponse ? outgoing : undefined
    if (direct && this.#draining) direct.shouldKeepAlive = false
    const { crossOrigin, proxies, fetch } = this.#options
    const guest = crossOrigin.allows(origin) ? origin : undefined
    const refused = foreign(
      host,
      guest === undefined ? origin : undefined,
      isLoopback(this.#options.host),
    )
    const from = clientAddress(
      incoming.socket.remoteAddress ?? '',
      incoming.headers['x-forwarded-for']?.toString(),
      proxies,
    )
    const preflight = guest === undefined ? undefined : crossOrigin.preflight(request)
    const response = refused
      ? secured(failed(refused))
      : preflight
        ? secured(preflight)
        : await fetch(request, { from })
    crossOrigin.mark(response, guest)
    const source = streamSourceOf(response)
    return source && direct ? this.#stream(source, response, direct) : response
  }

  /** Straight to the socket: a web stream between them costs more than all the rest. */
  #stream(source: StreamSource, { status, headers }: Response, outgoing: ServerResponse): Response {
    outgoing.writeHead(status, Object.fromEntries(headers))
    source
      .send(new ResponseSink(outgoing, this.#options.slowReaderMs, source.room))
      .catch((cause: unknown) => {
        this.#options.log.error('http.stream_failed', { error: cause })
        outgoing.destroy() // without an end the reader knows that it has to resume
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
 * What the parser refused never becomes a request; it is answered on the socket, unless that has
 * carried something already.
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
      return [400, 'VALIDATION_ERROR', 'this is no valid HTTP request']
  }
}
