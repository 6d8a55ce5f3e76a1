import {
  Client,
  SdkError,
  SdkErrorCode,
  specTypeSchemas,
  StreamableHTTPClientTransport,
  type Tool,
  type Transport,
} from '@modelcontextprotocol/client'
import { z } from 'zod'
import { type Acting, Calls, LOG_LEVEL, type Called, type ToolCall } from './calls.ts'
import { elicitationOf } from './elicitation.ts'
import { SentForms } from './sent-forms.ts'
import { endsConnection, failingOf, isOutdated, type Failing } from './failing.ts'
import { isDoneWithin } from './is-done-within.ts'

export interface SessionOptions {
  readonly acting: Acting
  /** A fresh one each time. */
  readonly transport: () => Transport
  /**
   * Servers that end when they are asked for their version get the older handshake, in a process of
   * its own.
   */
  readonly local: boolean
  /** Known from last time. */
  readonly legacy: boolean
  readonly version: string
  readonly connectMs: number
  readonly maxTools: number
  /** ms that a call is held open while a person is asked. */
  readonly holdMs: number
  /** Whether the server has sent notifications over a stream of its own. */
  readonly streamed: () => boolean
  /** The list of tools is another one now. */
  readonly changed: () => void
  /** It is over, and was not closed from here. Told once. */
  readonly lost: (error: Error) => void
  /** It sends a message for the log. */
  readonly message: (level: string, data: unknown, logger: string | undefined) => void
  /** Something odd that ends nothing. */
  readonly odd: (error: Error) => void
}

const MAX_PAGES = 100
/**
 * A page of tools, each of which is read by itself: one that is malformed takes no others along.
 */
const PAGE = z.looseObject({ tools: z.array(z.unknown()), nextCursor: z.string().optional() })
/** A local server that has not said by then which protocol it speaks is taken for an older one. */
const PROBE_MS = 5_000
const FAREWELL_MS = 1_000

export interface ListedTools {
  readonly tools: readonly Tool[]
  /** What is wrong with each that could not be read. */
  readonly malformed: readonly string[]
  /** There are more than the most. */
  readonly more: boolean
}

const nameOf = (tool: unknown): string =>
  typeof tool === 'object' && tool !== null && 'name' in tool && typeof tool.name === 'string'
    ? tool.name
    : 'one without a name'

/** One connection to one server, from its handshake to its end. */
export class Session {
  readonly #client: Client
  readonly #options: SessionOptions
  readonly #calls: Calls
  readonly #forms = new SentForms()
  #over = false

  private constructor(options: SessionOptions, legacy: boolean) {
    this.#options = options
    const { version, changed, holdMs, acting } = options
    this.#client = new Client(
      { name: 'amodal', version },
      {
        capabilities: { elicitation: { form: {} } },
        versionNegotiation: legacy
          ? { mode: 'legacy' }
          : { mode: 'auto', probe: options.local ? { timeoutMs: PROBE_MS } : {} },
        inputRequired: { autoFulfill: false },
        listChanged: { tools: { autoRefresh: false, debounceMs: 100, onChanged: () => changed() } },
      },
    )
    this.#calls = new Calls(this.#client, holdMs, this.#forms, acting)
    this.#client.onclose = () => this.#lost(new Error('the connection was closed'))
    this.#client.onerror = (error) => {
      if (endsConnection(error, options.streamed())) this.#lost(error)
      else options.odd(error)
    }
    this.#client.setNotificationHandler(
      'notifications/message',
      ({ params: { level, data, logger } }) => options.message(level, data, logger),
    )
    this.#client.setRequestHandler('elicitation/create', ({ params }, { mcpReq: { signal } }) =>
      this.#calls.elicited(elicitationOf(this.#forms.whole(params)), signal),
    )
  }

  /** Connects, and finds out which protocol is spoken. Throws what kept it from that. */
  static async open(options: SessionOptions, signal: AbortSignal): Promise<Session> {
    try {
      return await Session.#open(options, options.legacy, signal)
    } catch (cause) {
      // It ended instead of answering: as servers do that know nothing but the older handshake.
      if (
        !options.local ||
        options.legacy ||
        signal.aborted ||
        !(cause instanceof SdkError) ||
        cause.code !== SdkErrorCode.EraNegotiationFailed
      )
        throw cause
      return Session.#open(options, true, signal)
    }
  }

  static async #open(
    options: SessionOptions,
    legacy: boolean,
    signal: AbortSignal,
  ): Promise<Session> {
    const session = new Session(options, legacy)
    const client = session.#client
    const transport = options.transport()
    // the client calls it before its own
    transport.onmessage = (message) => session.#forms.heard(message)
    const stop = (): void => void transport.close().catch(() => undefined)
    signal.addEventListener('abort', stop, { once: true })
    try {
      await client.connect(transport, { timeout: options.connectMs, signal })
      session.#listen()
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

  /** Asks an older server for its messages; a newer one is asked with each call. */
  #listen(): void {
    const { connectMs: timeout, odd } = this.#options
    if (this.legacy && this.#client.getServerCapabilities()?.logging)
      void this.#client.setLoggingLevel(LOG_LEVEL, { timeout }).catch(odd)
  }

  /** How it wants to be used, in its own words. */
  get instructions(): string {
    return this.#client.getInstructions() ?? ''
  }

  /** Nothing can come of it any more. */
  get over(): boolean {
    return this.#over
  }
  get legacy(): boolean {
    return this.#client.getProtocolEra() === 'legacy'
  }
  get protocol(): string | undefined {
    return this.#client.getNegotiatedProtocolVersion()
  }

  /** All tools, page by page, and how many there were beyond the most. */
  async tools(signal: AbortSignal): Promise<ListedTools> {
    if (!this.#client.getServerCapabilities()?.tools)
      return { tools: [], malformed: [], more: false }
    const { connectMs: timeout, maxTools } = this.#options
    const tools: Tool[] = []
    const malformed: string[] = []
    const cursors = new Set<string>()
    let cursor: string | undefined
    do {
      const page = await this.#client.request(
        { method: 'tools/list', params: cursor === undefined ? {} : { cursor } },
        PAGE,
        { timeout, signal },
      )
      for (const tool of page.tools) {
        const read = specTypeSchemas.Tool['~standard'].validate(tool)
        if (read.issues)
          malformed.push(
            `${nameOf(tool)}: ${read.issues.map(({ message, path = [] }) => `${path.map((part) => String(typeof part === 'object' ? part.key : part)).join('.')} ${message}`).join('; ')}`,
          )
        else tools.push(read.value)
      }
      cursor = page.nextCursor
      // The same place again, or no end in sight: what is known by then counts.
      if (cursor !== undefined && (cursors.has(cursor) || cursors.size >= MAX_PAGES))
        return { tools: tools.slice(0, maxTools), malformed, more: true }
      if (cursor !== undefined) cursors.add(cursor)
    } while (cursor !== undefined && tools.length <= maxTools)
    return { tools: tools.slice(0, maxTools), malformed, more: tools.length > maxTools }
  }

  /** Makes a call. Throws where the server could not be asked or gave no valid answer. */
  call(call: ToolCall): Promise<Called> {
    return this.#calls.call(call)
  }

  /** Gives up the calls of a run that are held open for an answer. */
  release(run: string): void {
    this.#calls.release(run)
  }

  /** How a call that failed stands. */
  failing(cause: unknown, signal: AbortSignal): Failing {
    if (isOutdated(cause)) this.#options.changed()
    return failingOf(cause, signal, this.#stateful)
  }

  /** Ends it from here. */
  async close(): Promise<void> {
    if (this.#over) return
    this.#over = true
    this.#calls.close()
    const { transport } = this.#client
    if (transport instanceof StreamableHTTPClientTransport)
      await isDoneWithin(FAREWELL_MS, transport.terminateSession())
    await this.#client.close().catch(() => undefined)
  }

  /** The server has given it a session, which it may forget. */
  get #stateful(): boolean {
    const { transport } = this.#client
    return transport instanceof StreamableHTTPClientTransport && transport.sessionId !== undefined
  }

  /** Ends it because it is of no use any more; whoever waits for an answer is told why. */
  fail(error: Error): void {
    this.#lost(error)
  }

  #lost(error: Error): void {
    if (this.#over) return
    this.#over = true
    this.#calls.close()
    this.#options.lost(error)
    void this.#client.close().catch(() => undefined)
  }
}
