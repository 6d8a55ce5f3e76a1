/**
 * A scripted model behind the real protocols, on loopback: for tests that want a model which says
 * exactly this, or fails in exactly that way, and for benchmarks, where it must not be the
 * bottleneck (thousands of short turns a second). Which protocol is spoken, the path says: chat
 * completions, OpenAI's responses, Anthropic's messages, Google's generateContent, Bedrock's
 * ConverseStream.
 *
 * It is strict: a history that a real endpoint would refuse gets the same 400 here.
 */

import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http'

import { chatCompletions, FrameCache } from './model-frames.ts'
import { playReply, refuse } from './model-player.ts'
import { type ChatCompletionRequest, parseJson } from './model-protocol.ts'
import type { Reply, Script } from './model-reply.ts'
import { protocolOf } from './protocols/index.ts'

export * from './model-protocol.ts'
export * from './model-reply.ts'

export interface RecordedRequest {
  /** Counted from 0, over all accepted requests of this server. */
  readonly n: number
  /** Milliseconds since the epoch. */
  readonly at: number
  readonly headers: IncomingHttpHeaders
  /** As a chat completion, whatever the protocol. */
  readonly body: ChatCompletionRequest
  /** As it was sent. */
  readonly sent: unknown
  /** The same, byte for byte. */
  readonly raw: string
  /** Of the request, with its query. */
  readonly path: string
  /** The client closed the connection before the answer was complete. */
  readonly aborted: boolean
  /** Nothing more will be sent, whichever side ended it. */
  readonly closed: boolean
}

export interface ModelServer {
  /** The base URL for a provider of any protocol, `http://127.0.0.1:PORT/v1`. */
  readonly url: string
  readonly port: number
  /** The newest requests, oldest first; requests that were refused are not among them. */
  readonly requests: readonly RecordedRequest[]
  /** How many requests were accepted so far. */
  readonly count: number
  /** Replaces the script for later requests. A list restarts from its first reply. */
  play(script: Script): void
  /** Drops every connection and frees the port. */
  close(): Promise<void>
}

export interface ModelServerOptions {
  readonly script: Script
  /** Default: any free port. */
  readonly port?: number
  /** How many requests are remembered. Default 1,000. */
  readonly keep?: number
}

/**
 * Starts a scripted model server on 127.0.0.1.
 *
 * @returns the running server. Rejects where the port is taken.
 * @example
 * const server = await startModelServer({ script: reply.text('Hello.') })
 * // point a provider's baseUrl at server.url, talk to the agent, then:
 * server.requests[0]?.body.messages
 * await server.close()
 */
export async function startModelServer(options: ModelServerOptions): Promise<ModelServer> {
  const state: ServerState = {
    script: options.script,
    scriptFrom: 0,
    count: 0,
    keep: options.keep ?? 1000,
    requests: [],
    cache: new FrameCache(),
    prefix: randomBytes(3).toString('hex'),
  }
  const server = createServer((request, response) => {
    void handle(state, request, response).catch((error: unknown) => {
      refuse(response, protocolOf(request.url ?? '') ?? chatCompletions, 500, {
        message: `the script failed: ${String(error)}`,
        type: 'script_error',
      })
    })
  })
  server.keepAliveTimeout = 60_000
  server.listen(options.port ?? 0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0

  return {
    url: `http://127.0.0.1:${port}/v1`,
    port,
    requests: state.requests,
    get count() {
      return state.count
    },
    play(script) {
      state.script = script
      state.scriptFrom = state.count
    },
    async close() {
      if (!server.listening) return
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}

interface ServerState {
  script: Script
  /** The number of the request at which the present script began. */
  scriptFrom: number
  count: number
  readonly keep: number
  readonly requests: Recording[]
  readonly cache: FrameCache
  readonly prefix: string
}

type Recording = { -readonly [Key in keyof RecordedRequest]: RecordedRequest[Key] }

async function handle(
  state: ServerState,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const body = await readBody(request)
  if (body === undefined) return
  const path = request.url ?? ''
  const protocol = request.method === 'POST' ? protocolOf(path) : undefined
  if (protocol === undefined) {
    const known =
      '/v1/chat/completions, /v1/responses, /v1/messages, /v1/models/NAME:streamGenerateContent and /model/ID/converse-stream'
    const message = `no such endpoint: ${request.method} ${path}; this server answers POST ${known}`
    refuse(response, chatCompletions, 404, { message, type: 'invalid_request_error' })
    return
  }
  const parsed = protocol.read(body, { path, headers: request.headers })
  if (!parsed.ok) {
    refuse(response, protocol, 400, { message: parsed.problem, type: 'invalid_request_error' })
    return
  }

  const n = state.count++
  const sent = protocol === chatCompletions ? parsed.request : parseJson(body)
  const record = {
    n,
    at: Date.now(),
    headers: request.headers,
    body: parsed.request,
    sent,
    raw: body,
    path,
    aborted: false,
    closed: false,
  }
  state.requests.push(record)
  if (state.requests.length > state.keep) state.requests.shift()

  const { script } = state
  const at = n - state.scriptFrom
  await playReply(
    typeof script === 'function' ? await script(parsed.request, at) : nth(script, at),
    {
      response,
      protocol,
      streaming: parsed.streaming,
      ...watch(response, record),
      cache: state.cache,
      context: {
        model: parsed.request.model,
        nonce: `${state.prefix}${n}`,
        created: Math.floor(record.at / 1000),
        includeUsage: parsed.request.stream_options?.include_usage === true,
      },
    },
  )
}

function nth(script: Reply | readonly [Reply, ...Reply[]], at: number): Reply {
  return 'kind' in script ? script : (script[at] ?? script[script.length - 1] ?? script[0])
}

/**
 * Follows the connection to its end, and knows a client that left from a socket cut by the script.
 */
function watch(
  response: ServerResponse,
  record: Recording,
): { readonly signal: AbortSignal; cut(): void } {
  const closed = new AbortController()
  response.once('close', () => {
    if (!record.closed) record.aborted = !response.writableFinished
    record.closed = true
    closed.abort()
  })
  return {
    signal: closed.signal,
    cut() {
      record.closed = true
      response.destroy()
    },
  }
}

/** @returns the body, or undefined where the client left before it was complete. */
async function readBody(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  try {
    await once(request, 'end')
  } catch {
    return undefined
  }
  return Buffer.concat(chunks).toString('utf8')
}
