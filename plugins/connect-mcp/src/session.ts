import {
  Client,
  SdkError,
  SdkErrorCode,
  specTypeSchemas,
  StreamableHTTPClientTransport,
  type McpSubscription,
  type Prompt,
  type Resource,
  type ResourceTemplateType,
  type ServerCapabilities,
  type Tool,
  type Transport,
} from '@modelcontextprotocol/client'
import { z } from 'zod'
import { listed, type ItemSchema, type Listed, type Pages } from './listed.ts'
import type { Called, Lending, ToolCall } from './call.ts'
import { type Acting, Calls, LOG_LEVEL } from './calls.ts'
import { SentForms } from './sent-forms.ts'
import { endsConnection, failingOf, isOutdated, type Failing } from './failing.ts'
import { isDoneWithin } from './is-done-within.ts'
import type { ConnectionFacts } from './traced.ts'

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
  readonly lending: Lending
  /** ms that a call is held open while a person is asked. */
  readonly holdMs: number
  /** Whether the server has sent notifications over a stream of its own. */
  readonly streamed: () => boolean
  /** The list of tools is another one now. */
  readonly changed: () => void
  /** What it offers beside its tools is other things now. */
  readonly offersChanged: () => void
  /** A resource that is watched has changed. */
  readonly updated: (uri: string) => void
  /** Called once when the connection ends without having been closed from here. */
  readonly lost: (error: Error) => void
  /** It sends a message for the log. */
  readonly message: (level: string, data: unknown, logger: string | undefined) => void
  /** Something odd that ends nothing. */
  readonly odd: (error: Error) => void
}

/** A page of a list, each item of which is read by itself. */
const PAGE = z.looseObject({ nextCursor: z.string().optional() })
/** Resources, templates and prompts of one server, each. */
const MOST_LISTED = 1_000
/** A local server that has not said by then which protocol it speaks is taken for an older one. */
const PROBE_MS = 5_000
const FAREWELL_MS = 1_000
/** Lists are read here, page by page; several changes at once are one. */
const CHANGES = { autoRefresh: false, debounceMs: 100 } as const

export interface ListedTools extends Omit<Listed<Tool>, 'items'> {
  readonly tools: readonly Tool[]
}

/** What a server offers beside its tools; a kind that it does not know is left out. */
export interface Offers {
  readonly resources?: readonly Resource[]
  readonly templates?: readonly ResourceTemplateType[]
  readonly prompts?: readonly Prompt[]
  /** It completes arguments of prompts and of templates. */
  readonly completes: boolean
}

type ListMethod = 'tools/list' | 'resources/list' | 'resources/templates/list' | 'prompts/list'

/** One connection to one server, from its handshake to its end. */
export class Session {
  readonly #client: Client
  readonly #options: SessionOptions
  readonly #calls: Calls
  readonly #forms = new SentForms()
  readonly #watched = new Set<string>()
  #subscription: McpSubscription | undefined
  #over = false

  private constructor(options: SessionOptions, legacy: boolean) {
    this.#options = options
    const { version, changed, holdMs, acting, lending } = options
    this.#client = new Client(
      { name: 'amodal', version },
      {
        capabilities: {
          elicitation: { form: {}, ...(lending.urls && { url: {} }) },
          ...(lending.model && { sampling: {} }),
          ...(lending.roots.length > 0 && { roots: {} }),
        },
        versionNegotiation: legacy
          ? { mode: 'legacy' }
          : { mode: 'auto', probe: options.local ? { timeoutMs: PROBE_MS } : {} },
        inputRequired: { autoFulfill: false },
        listChanged: {
          tools: { ...CHANGES, onChanged: () => changed() },
          resources: { ...CHANGES, onChanged: () => options.offersChanged() },
          prompts: { ...CHANGES, onChanged: () => options.offersChanged() },
        },
      },
    )
    this.#calls = new Calls(this.#client, {
      holdMs,
      forms: this.#forms,
      acting,
      lending,
      facts: () => this.#facts(),
    })
    this.#client.onclose = () => this.#lost(new Error('the connection was closed'))
    this.#client.onerror = (error) => {
      if (endsConnection(error, options.streamed())) this.#lost(error)
      else options.odd(error)
    }
    this.#client.setNotificationHandler(
      'notifications/message',
      ({ params: { level, data, logger } }) => options.message(level, data, logger),
    )
    this.#client.setNotificationHandler('notifications/resources/updated', ({ params: { uri } }) =>
      options.updated(uri),
    )
    this.#client.setRequestHandler('elicitation/create', ({ params }, { mcpReq: { signal } }) =>
      this.#calls.elicited(params, signal),
    )
    if (lending.model)
      this.#client.setRequestHandler('sampling/createMessage', ({ params }, { mcpReq }) =>
        this.#calls.sampled(params, mcpReq.signal),
      )
    if (lending.roots.length > 0)
      this.#client.setRequestHandler('roots/list', () => ({ roots: [...lending.roots] }))
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
    transport.onmessage = (message) => session.#forms.record(message)
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

  /** All tools, page by page, and whether there are more than the most. */
  async tools(signal: AbortSignal): Promise<ListedTools> {
    if (!this.#client.getServerCapabilities()?.tools) return { tools: [], more: false }
    const { items, ...rest } = await listed(
      this.#pages('tools/list', 'tools', signal),
      specTypeSchemas.Tool,
      this.#options.maxTools,
    )
    return { tools: items, ...rest }
  }

  /** What it offers beside its tools. A list that cannot be read counts as empty. */
  async offers(signal: AbortSignal): Promise<Offers> {
    const { resources, prompts, completions } = this.#client.getServerCapabilities() ?? {}
    const list = async <T>(
      method: ListMethod,
      key: string,
      schema: ItemSchema<T>,
    ): Promise<readonly T[]> => {
      try {
        const { items } = await listed(this.#pages(method, key, signal), schema, MOST_LISTED)
        return items
      } catch (cause) {
        this.#options.odd(cause instanceof Error ? cause : new Error(String(cause)))
        return []
      }
    }
    return {
      ...(resources && {
        resources: await list('resources/list', 'resources', specTypeSchemas.Resource),
        templates: await list(
          'resources/templates/list',
          'resourceTemplates',
          specTypeSchemas.ResourceTemplate,
        ),
      }),
      ...(prompts && { prompts: await list('prompts/list', 'prompts', specTypeSchemas.Prompt) }),
      completes: completions !== undefined,
    }
  }

  get capabilities(): ServerCapabilities {
    return this.#client.getServerCapabilities() ?? {}
  }

  #pages(method: ListMethod, key: string, signal: AbortSignal): Pages {
    const { connectMs: timeout } = this.#options
    return async (cursor) => {
      const page = await this.#client.request(
        { method, params: cursor === undefined ? {} : { cursor } },
        PAGE,
        { timeout, signal },
      )
      return { items: z.array(z.unknown()).parse(page[key]), next: page.nextCursor }
    }
  }

  /** Wants to hear when these resources change, where the server tells that. */
  async watch(uris: Iterable<string>): Promise<void> {
    if (!this.capabilities.resources?.subscribe) return
    const fresh = [...uris].filter((uri) => !this.#watched.has(uri))
    if (fresh.length === 0) return
    for (const uri of fresh) this.#watched.add(uri)
    const { connectMs: timeout } = this.#options
    if (this.legacy) {
      for (const uri of fresh) await this.#client.subscribeResource({ uri }, { timeout })
      return
    }
    // one stream for all of them
    const before = this.#subscription
    this.#subscription = await this.#client.listen(
      { resourceSubscriptions: [...this.#watched] },
      { timeout },
    )
    await before?.close()
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
    return this.#sessionId !== undefined
  }

  get #sessionId(): string | undefined {
    const { transport } = this.#client
    return transport instanceof StreamableHTTPClientTransport ? transport.sessionId : undefined
  }

  #facts(): ConnectionFacts {
    const { protocol } = this
    const session = this.#sessionId
    return {
      transport: this.#options.local ? 'pipe' : 'tcp',
      ...(protocol !== undefined && { protocol }),
      ...(session !== undefined && { session }),
    }
  }

  /** Ends an unusable connection; pending calls fail with the reason. */
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
