import {
  Client, isInputRequiredResult, ProtocolError, SdkError, SdkErrorCode, SdkHttpError, SseError, StreamableHTTPClientTransport,
  type CallToolResult, type ElicitResult, type InputRequests, type InputResponses, type Progress, type Tool, type Transport,
} from '@modelcontextprotocol/client'
import type { JsonObject } from '@amodal/sdk'
import { type Elicitation, type ElicitationAnswer, elicitationOf } from './elicitation.ts'
import { isDoneWithin } from './is-done-within.ts'

export interface SessionOptions {
  /** A fresh one each time. */
  readonly transport: () => Transport
  /** Servers that end when they are asked for their version get the older handshake, in a process of its own. */
  readonly local: boolean
  /** Known from last time. */
  readonly legacy: boolean
  readonly version: string
  readonly connectMs: number
  readonly maxTools: number
  /** The list of tools is another one now. */
  readonly changed: () => void
  /** It is over, and was not closed from here. Told once. */
  readonly lost: (error: Error) => void
  /** Something odd that ends nothing. */
  readonly odd: (error: Error) => void
}

export interface ToolCall {
  readonly tool: Tool
  readonly args: JsonObject
  readonly signal: AbortSignal
  /** ms, past which nobody waits for an answer any more. */
  readonly timeoutMs: number
  readonly progress: (progress: Progress) => void
  /** What a person has answered to this very question, if anybody has. */
  readonly answerTo: (elicitation: Elicitation) => ElicitationAnswer | undefined
}

export type Called =
  | { readonly kind: 'result'; readonly result: CallToolResult }
  /** The server needs a person before it can go on. */
  | { readonly kind: 'asks'; readonly elicitation: Elicitation }

/** Questions of one call after another, before it counts as endless. */
const MAX_ROUNDS = 20
const MAX_PAGES = 100
/** A local server that has not said by then which protocol it speaks is taken for an older one. */
const PROBE_MS = 5_000
const FAREWELL_MS = 1_000

/** A call in flight, and how to leave it with a question. */
interface Flight { readonly call: ToolCall; readonly ask: (elicitation: Elicitation) => void }

/** One connection to one server, from its handshake to its end. */
export class Session {
  readonly #client: Client
  readonly #options: SessionOptions
  readonly #flights = new Set<Flight>()
  /** A server of the older protocol that has asked before: it is given one call at a time, so that it is known which one asks. */
  #asks = false
  readonly #calls = new Set<Promise<Called>>()
  #over = false

  private constructor(options: SessionOptions, legacy: boolean) {
    this.#options = options
    const { version, changed } = options
    this.#client = new Client({ name: 'amodal', version }, {
      capabilities: { elicitation: { form: {} } },
      versionNegotiation: legacy ? { mode: 'legacy' } : { mode: 'auto', probe: options.local ? { timeoutMs: PROBE_MS } : {} },
      inputRequired: { autoFulfill: false },
      listChanged: { tools: { autoRefresh: false, debounceMs: 100, onChanged: () => changed() } },
    })
    this.#client.onclose = () => this.#lost(new Error('the connection was closed'))
    this.#client.onerror = (error) => {
      if (endsConnection(error)) this.#lost(error)
      else options.odd(error)
    }
    this.#client.setRequestHandler('elicitation/create', ({ params }) => this.#elicited(elicitationOf(params)))
  }

  /** Connects, and finds out which protocol is spoken. Throws what kept it from that. */
  static async open(options: SessionOptions, signal: AbortSignal): Promise<Session> {
    try {
      return await Session.#open(options, options.legacy, signal)
    } catch (cause) {
      // It ended instead of answering: as servers do that know nothing but the older handshake.
      if (!options.local || options.legacy || signal.aborted || !(cause instanceof SdkError) || cause.code !== SdkErrorCode.EraNegotiationFailed) throw cause
      return Session.#open(options, true, signal)
    }
  }

  static async #open(options: SessionOptions, legacy: boolean, signal: AbortSignal): Promise<Session> {
    const session = new Session(options, legacy)
    const client = session.#client
    const transport = options.transport()
    const stop = (): void => void transport.close().catch(() => undefined)
    signal.addEventListener('abort', stop, { once: true })
    try {
      await client.connect(transport, { timeout: options.connectMs, signal })
      return session
    } catch (cause) {
      session.#over = true
      await client.close().catch(() => undefined)
      await transport.close().catch(() => undefined)
      throw cause
    } finally {
      signal.removeEventListener('abort', stop)
    }
  }

  /** Nothing can come of it any more. */
  get over(): boolean { return this.#over }
  get legacy(): boolean { return this.#client.getProtocolEra() === 'legacy' }
  get protocol(): string | undefined { return this.#client.getNegotiatedProtocolVersion() }

  /** All tools, page by page, and how many there were beyond the most. */
  async tools(signal: AbortSignal): Promise<{ readonly tools: readonly Tool[]; readonly more: boolean }> {
    if (!this.#client.getServerCapabilities()?.tools) return { tools: [], more: false }
    const { connectMs: timeout, maxTools } = this.#options
    const tools: Tool[] = []
    const cursors = new Set<string>()
    let cursor: string | undefined
    do {
      const page = await this.#client.request({ method: 'tools/list', params: cursor === undefined ? {} : { cursor } }, { timeout, signal })
      tools.push(...page.tools)
      cursor = page.nextCursor
      // The same place again, or no end in sight: what is known by then counts.
      if (cursor !== undefined && (cursors.has(cursor) || cursors.size >= MAX_PAGES)) return { tools: tools.slice(0, maxTools), more: true }
      if (cursor !== undefined) cursors.add(cursor)
    } while (cursor !== undefined && tools.length <= maxTools)
    return { tools: tools.slice(0, maxTools), more: tools.length > maxTools }
  }

  /** Makes a call. Throws where the server could not be asked or gave no valid answer. */
  async call(call: ToolCall): Promise<Called> {
    const before = this.#asks ? Promise.allSettled([...this.#calls]) : undefined
    const made = before ? before.then(() => this.#call(call)) : this.#call(call)
    this.#calls.add(made)
    try {
      return await made
    } finally {
      this.#calls.delete(made)
    }
  }

  async #call(call: ToolCall): Promise<Called> {
    call.signal.throwIfAborted()
    const stop = new AbortController()
    const asked = Promise.withResolvers<Called>()
    const flight: Flight = {
      call,
      ask: (elicitation) => {
        asked.resolve({ kind: 'asks', elicitation })
        stop.abort('a person is asked first')
      },
    }
    this.#flights.add(flight)
    try {
      const rounds = this.#rounds(call, AbortSignal.any([call.signal, stop.signal]))
      rounds.catch(() => undefined) // a call that was left with a question ends with an error
      return await Promise.race([asked.promise, rounds])
    } finally {
      this.#flights.delete(flight)
    }
  }

  /** A newer server asks by ending the call with questions; it is made again with the answers. */
  async #rounds({ tool, args, timeoutMs, progress, answerTo }: ToolCall, signal: AbortSignal): Promise<Called> {
    const { outputSchema: _, ...toolDefinition } = tool // checking the answer by a stranger's patterns could take for ever
    let given: { readonly inputResponses?: InputResponses; readonly requestState?: string } = {}
    for (let round = 0; round < MAX_ROUNDS; round++) {
      const answer: unknown = await this.#client.callTool({ name: tool.name, arguments: args, ...given }, {
        timeout: timeoutMs, signal, onprogress: progress, allowInputRequired: true, toolDefinition,
      })
      if (!isInputRequiredResult(answer)) return { kind: 'result', result: answer as CallToolResult } // validated by the client
      const { inputRequests = {}, requestState } = answer
      const answered = answersTo(inputRequests, answerTo)
      if (answered.asks) return { kind: 'asks', elicitation: answered.asks }
      given = { inputResponses: answered.responses, ...(requestState === undefined ? {} : { requestState }) }
    }
    throw new Error(`it asked for more than ${MAX_ROUNDS} times`)
  }

  /** An older server asks in the middle of a call, without a word of which one it is. */
  #elicited(elicitation: Elicitation): ElicitResult {
    this.#asks = true
    const [flight, ...others] = this.#flights
    // Nobody is asked on behalf of somebody else: from the next call on there is one at a time.
    if (!flight || others.length > 0) return { action: 'cancel' }
    const answer = flight.call.answerTo(elicitation)
    if (answer) return { ...answer }
    flight.ask(elicitation)
    return { action: 'cancel' }
  }

  /** Ends it from here. */
  async close(): Promise<void> {
    if (this.#over) return
    this.#over = true
    const { transport } = this.#client
    if (transport instanceof StreamableHTTPClientTransport) await isDoneWithin(FAREWELL_MS, transport.terminateSession())
    await this.#client.close().catch(() => undefined)
  }

  /** Ends it because it is of no use any more; whoever waits for an answer is told why. */
  fail(error: Error): void {
    this.#lost(error)
  }

  #lost(error: Error): void {
    if (this.#over) return
    this.#over = true
    this.#options.lost(error)
    void this.#client.close().catch(() => undefined)
  }
}

/** What an answer says of the question by its key; the first that nobody has answered yet. */
function answersTo(requests: InputRequests, answerTo: ToolCall['answerTo']): { readonly asks?: Elicitation; readonly responses: InputResponses } {
  const responses: InputResponses = {}
  for (const [key, request] of Object.entries(requests)) {
    switch (request.method) {
      case 'elicitation/create': {
        const elicitation = elicitationOf(request.params)
        const answer = answerTo(elicitation)
        if (!answer) return { asks: elicitation, responses }
        responses[key] = { ...answer }
        break
      }
      case 'roots/list':
        responses[key] = { roots: [] }
        break
      case 'sampling/createMessage':
        throw new Error('it asks for the model of this agent (sampling), which it may not use')
    }
  }
  return { responses }
}

/** Whether nothing can come of a connection any more. */
function endsConnection(error: Error): boolean {
  return error instanceof SseError || (error instanceof SdkHttpError && error.status === 404) || error.name === 'TooLargeError'
}

/**
 * How a failed call stands. `refused`: the server said no. `unsent`: it has never seen the call. `unclear`: it has, and
 * said nothing that could be read. `lost`: the same, and the connection is gone. `stopped`: nobody waits any more.
 */
export type Failing = 'refused' | 'unsent' | 'unclear' | 'lost' | 'stopped'

export function failingOf(cause: unknown, signal: AbortSignal): Failing {
  if (signal.aborted) return 'stopped'
  if (cause instanceof ProtocolError) return 'refused'
  if (cause instanceof SdkHttpError) return cause.status === 404 ? 'unsent' : (cause.status ?? 500) < 500 ? 'refused' : 'unclear'
  if (cause instanceof SdkError) {
    switch (cause.code) {
      case SdkErrorCode.NotConnected: return 'unsent'
      case SdkErrorCode.RequestTimeout: return 'stopped'
      case SdkErrorCode.ConnectionClosed: case SdkErrorCode.SendFailed: return 'lost'
      default: return 'unclear'
    }
  }
  return wasSent(cause) ? 'lost' : 'unsent'
}

/** What the way out says of a request that failed; without a word of it the target may have seen it. */
function wasSent(cause: unknown): boolean {
  const failure: unknown = cause instanceof Error ? cause.cause : undefined
  if (typeof failure !== 'object' || failure === null || !('details' in failure)) return true
  const { details } = failure
  return !(typeof details === 'object' && details !== null && 'sent' in details && details.sent === false)
}
