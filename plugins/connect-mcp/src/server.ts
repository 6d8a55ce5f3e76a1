import type { Tool } from '@modelcontextprotocol/client'
import {
  RedactionHandles,
  hashOf,
  messageOf,
  ok,
  OutputRedactor,
  quoting,
  type ConnectionStatus,
  type Json,
  type JsonObject,
  type Logger,
  type Outbound,
  type Secrets,
  sleep,
  type ToolContext,
  type ToolResult,
  timeLimit,
  within,
} from '@amodal/sdk'
import { connectionsOf } from '@amodal/sdk/connections'
import { McpTraces } from '@amodal/plugin-telemetry-otel/tokens'
import { basename, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Settings } from './settings.ts'
import type { CallRequest, Lending, ToolCall } from './call.ts'
import { type Elicitation, elicitationOf } from './elicitation.ts'
import { answerIn, isDeclined, type Sending } from './elicitation-answer.ts'
import { questionOf } from './elicitation-question.ts'
import { scrubbed } from './elicitation-scrub.ts'
import { LAPSED, UnshowableError } from './call-errors.ts'
import { isDeep } from './is-deep.ts'
import { LeftOut } from './left-out.ts'
import { isDoneWithin } from './is-done-within.ts'
import { isHeld } from './is-held.ts'
import { badHeaderIn } from './param-headers.ts'
import type { Reaper } from './reaper.ts'
import { LAST_WORDS, ServerLog } from './server-log.ts'
import type { ServerSpec } from './server-spec.ts'
import type { ListedTools, Offers, Session } from './session.ts'
import { toolResult } from './tool-result.ts'
import { unsupportedIn } from './unsupported.ts'
import { shown, type Mask } from './untrusted.ts'
import type { Authorization } from './oauth/authorization.ts'
import type { Vault } from './vault.ts'

export interface ServerParts {
  readonly name: string
  readonly spec: ServerSpec
  readonly cwd: string | undefined
  readonly settings: Settings
  readonly secrets: Secrets
  readonly outbound: Outbound
  readonly reaper: Reaper
  readonly vault: Vault
  readonly log: Logger
}

export interface Asked {
  /** The name that the model knows it by. */
  readonly as: string
  /** As its server calls it. */
  readonly own: string
  readonly request: CallRequest
  readonly readOnly: boolean
}

/** Resources of one server whose changes are heard. */
const MOST_WATCHED = 100
/** Names of what is not supported, and characters of each. */
const MOST_UNSUPPORTED = 20
const LABEL = 200
const NO_OFFERS: Offers = { completes: false }

/** ms before a lost server is tried again, doubled each time. */
const FIRST_RETRY_MS = 500
const LAST_RETRY_MS = 30_000
/** Up for this long, and the next time it is lost counts as the first, ms. */
const STABLE_MS = 60_000
/** ms after which a server that has not responded is logged, with its output. */
const SLOW_MS = 5_000
/** How long a call waits for a server that is coming back, ms. */
const BACK_MS = 15_000
/** Progress that is told: not more often than this, ms. */
const PROGRESS_MS = 100
/** Characters of what a server says of its use. */
const INSTRUCTIONS = 4_000

type State =
  | { readonly kind: 'connecting' }
  | { readonly kind: 'ready'; readonly session: Session }
  | { readonly kind: 'failed' }

/**
 * One MCP server of the agent: kept connected from `start` to `close`, whatever becomes of it in
 * between.
 */
export class Server {
  readonly name: string
  readonly spec: ServerSpec
  readonly #parts: ServerParts
  readonly #stop = new AbortController()
  #state: State = { kind: 'connecting' }
  /** Why it is not connected; or, while it is, what is odd about it. */
  #problem: string | undefined
  #tools: readonly Tool[] = []
  #revision = '0'
  #more = false
  #offers: Offers = NO_OFFERS
  /** Resources that have changed since they were read. */
  readonly #updated = new Set<string>()
  /** Resources that were read, whose changes are heard. */
  readonly #watched = new Set<string>()
  #unsupported: readonly string[] = []
  /** Speaks the older protocol only, as it is known from the last time. */
  #legacy = false
  #authorization: Authorization | undefined
  readonly #output: ServerLog
  readonly #leftOut = new LeftOut()
  #instructions = ''
  #running: Promise<void> | undefined
  #settled: Promise<void> | undefined
  readonly #tried = Promise.withResolvers<void>()
  #change = Promise.withResolvers<void>()
  #hurry = new AbortController()
  #refreshing: Promise<void> | undefined
  #stale = false
  #calls = 0

  constructor(parts: ServerParts) {
    this.#parts = parts
    this.name = parts.name
    this.spec = parts.spec
    this.#output = new ServerLog(parts.name, parts.log, (text) => this.#shown(text))
  }

  get status(): ConnectionStatus {
    const { kind } = this.#state
    const left = this.#more
      ? `only the first ${this.#tools.length} of its tools are used`
      : undefined
    const error = this.#problem ?? this.#authorization?.problem ?? this.#leftOut.problem ?? left
    return {
      name: this.name,
      kind: 'mcp',
      status: kind,
      toolCount: this.#tools.length,
      ...(error === undefined ? {} : { error }),
    }
  }

  /** How it is signed in to; `undefined` where it is not, or has not been tried. */
  get authorization(): Authorization | undefined {
    return this.#authorization
  }
  /** What a person has to allow has changed: it is tried at once. */
  authorized(): void {
    this.#hurry.abort()
  }

  get protocol(): string | undefined {
    return this.#state.kind === 'ready' ? this.#state.session.protocol : undefined
  }
  /**
   * As they were told last: a server that comes back in a moment does not change what the model
   * sees.
   */
  get tools(): readonly Tool[] {
    return this.#tools
  }
  /** What it offers beside its tools. */
  get offers(): Offers {
    return this.#offers
  }
  /** Parts of its messages that could not be read. */
  get leftOut(): Pick<LeftOut, 'all' | 'problem'> {
    return this.#leftOut
  }
  /** What it can and this client cannot. */
  get unsupported(): readonly string[] {
    return this.#unsupported
  }
  /** Resources that have changed since they were read. */
  get updated(): ReadonlySet<string> {
    return this.#updated
  }

  /** Another text, where its tools are others. */
  get revision(): string {
    return `${this.#revision} ${hashOf(this.#offers as unknown as Json)}${this.#instructions === '' ? '' : ` ${hashOf(this.#instructions)}`}`
  }
  /** How it wants to be used: untrusted text, cut and cleaned. */
  get instructions(): string {
    return this.#instructions
  }
  /** The newest lines of its standard error, and messages that it has sent. */
  get output(): Pick<ServerLog, 'lines' | 'messages'> {
    return this.#output
  }
  /** Until the first try to connect is over, or is not worth waiting for. */
  get settled(): Promise<void> | undefined {
    return this.#settled
  }

  /** The first try to connect is over, however it went. */
  get tried(): Promise<void> {
    return this.#tried.promise
  }

  start(): void {
    if (this.#running || this.#stop.signal.aborted) return
    const first = this.#tried
    this.#settled = isDoneWithin(this.#parts.settings.waitMs, first.promise).then(() => {
      this.#settled = undefined
    })
    this.#running = this.#keep(first.resolve)
      .catch((cause: unknown) => {
        this.#parts.log.error('mcp.stopped', { server: this.name, error: this.#shown(cause) })
        this.#move({ kind: 'failed' }, this.#shown(cause))
      })
      .finally(first.resolve)
  }

  /** Closes it once its calls have ended. */
  async retire(ms: number): Promise<void> {
    for (const end = performance.now() + ms; this.#calls > 0 && performance.now() < end;)
      await sleep(100, this.#stop.signal)
    await this.close()
  }

  async close(): Promise<void> {
    this.#stop.abort()
    this.#hurry.abort()
    await this.#running
    this.#authorization?.close()
  }

  /** Connects, lists, waits until it is lost, and again. */
  async #keep(tried: () => void): Promise<void> {
    const { log } = this.#parts
    const { signal } = this.#stop
    for (let failures = 0; !signal.aborted;) {
      const lost = Promise.withResolvers<Error>()
      const opened = await this.#open(lost.resolve).catch(async (cause: unknown) => {
        const rights = await this.#authorization?.rightsAfter(cause)
        return this.#reason(rights === 'too few' ? (this.#authorization?.problem ?? cause) : cause)
      })
      if (signal.aborted) {
        if (typeof opened !== 'string') await opened.close()
        break
      }
      if (typeof opened === 'string') {
        log.warn('mcp.failed', { server: this.name, error: opened })
        this.#move({ kind: 'failed' }, opened)
        failures++
      } else {
        const since = performance.now()
        log.info('mcp.ready', {
          server: this.name,
          tools: this.#tools.length,
          protocol: opened.protocol,
        })
        this.#move({ kind: 'ready', session: opened }, undefined)
        tried()
        const error = await within(lost.promise, signal).catch(() => undefined)
        await opened.close()
        if (!error) break
        failures = performance.now() - since > STABLE_MS ? 0 : failures + 1
        log.warn('mcp.lost', { server: this.name, error: this.#reason(error) })
        this.#move({ kind: 'connecting' }, this.#reason(error))
      }
      tried()
      await this.#pause(failures)
    }
  }

  async #open(lost: (error: Error) => void): Promise<Session> {
    const {
      settings: { connectMs, maxTools, maxBytes, graceMs, holdMs },
      log,
    } = this.#parts
    // The client is large, and most agents have no MCP server.
    const { connect } = await import('./connect.ts')
    this.#output.begin()
    this.#leftOut.begin()
    const limit = timeLimit(connectMs, `connecting to ${this.name}`, this.#stop.signal)
    const slow = setTimeout(
      () =>
        log.warn('mcp.slow', {
          server: this.name,
          seconds: SLOW_MS / 1_000,
          output: this.#lastWords(),
        }),
      SLOW_MS,
    )
    slow.unref?.()
    const connected = await connect(
      {
        ...this.#parts,
        legacy: this.#legacy,
        version: '1.0.0',
        connectMs,
        maxTools,
        maxBytes,
        graceMs,
        holdMs,
        lost,
        changed: () => this.#refresh(),
        offersChanged: () => this.#refresh(),
        updated: (uri) => this.#updated.add(uri),
        odd: (error) => log.debug('mcp.odd', { server: this.name, error: this.#shown(error) }),
        onLine: (line) => this.#output.line(line),
        onLeftOut: (method, reason) => this.#noteLeftOut(method, reason),
        lending: this.#lending(),
        authorization: this.#authorization,
        onAuthorization: (authorization) => {
          if (authorization !== this.#authorization) this.#authorization?.close()
          this.#authorization = authorization
        },
        message: (level, data, logger) => this.#output.message(level, data, logger),
      },
      limit,
    ).finally(() => clearTimeout(slow))
    if (!connected.ok) throw new Error(connected.error.message, { cause: connected.error })
    const session = connected.value
    this.#legacy = session.legacy && this.spec.transport === 'stdio'
    try {
      this.#take(await session.tools(limit), session)
      this.#offers = await session.offers(limit)
      this.#tellUnsupported(session)
      this.#listenTo(session)
      this.#instructions = shown(session.instructions, INSTRUCTIONS, this.#mask).trim()
      return session
    } catch (cause) {
      await session.close()
      throw cause
    }
  }

  #noteLeftOut(method: string, reason: string): void {
    const message = this.#shown(reason)
    if (this.#leftOut.add(method, message))
      this.#parts.log.warn('mcp.left_out', { server: this.name, method, message })
  }

  #take({ tools, more }: ListedTools, session: Session): void {
    // Of two with one name the first counts.
    const names = new Set<string>()
    const mirrors = this.spec.transport === 'http' && !session.legacy
    const usable = tools.filter((tool) => {
      if (names.has(tool.name)) return false
      names.add(tool.name)
      // the schema was JSON on the wire
      const badHeader = () => (mirrors ? badHeaderIn(tool.inputSchema as JsonObject) : undefined)
      const problem = isDeep(tool) ? 'its definition is nested too deep' : badHeader()
      if (problem !== undefined)
        this.#parts.log.warn('mcp.tool', {
          server: this.name,
          tool: this.#shown(tool.name),
          message: `it is left out: ${this.#shown(problem)}`,
        })
      return problem === undefined
    })
    this.#revision = hashOf(usable as unknown as Json) // it was JSON on the wire
    this.#tools = usable
    this.#more = more
  }

  /** Its tools have changed: the next turn has them. Several changes at once are one. */
  #refresh(): void {
    this.#stale = true
    this.#refreshing ??= this.#relist().finally(() => {
      this.#refreshing = undefined
    })
  }

  async #relist(): Promise<void> {
    while (this.#stale && this.#state.kind === 'ready') {
      this.#stale = false
      this.#leftOut.begin()
      const { session } = this.#state
      try {
        const limit = timeLimit(
          this.#parts.settings.connectMs,
          `listing the tools of ${this.name}`,
          this.#stop.signal,
        )
        this.#take(await session.tools(limit), session)
        this.#offers = await session.offers(limit)
        this.#parts.log.info('mcp.tools_changed', { server: this.name, tools: this.#tools.length })
      } catch (cause) {
        // One that is closed meanwhile has not failed.
        if (this.#stop.signal.aborted) return
        this.#parts.log.warn('mcp.list_failed', { server: this.name, error: this.#shown(cause) })
      }
    }
  }

  #move(state: State, problem: string | undefined): void {
    this.#state = state
    this.#problem = problem
    this.#change.resolve()
    this.#change = Promise.withResolvers<void>()
  }

  async #pause(failures: number): Promise<void> {
    const ms = Math.min(LAST_RETRY_MS, FIRST_RETRY_MS * 2 ** Math.max(0, failures - 1))
    // Not all at the same moment, where many lost the same server.
    const spread = ms * (0.8 + Math.random() * 0.4)
    this.#hurry = new AbortController()
    await sleep(FIRST_RETRY_MS, this.#stop.signal)
    await sleep(
      Math.max(0, spread - FIRST_RETRY_MS),
      AbortSignal.any([this.#stop.signal, this.#hurry.signal]),
    )
  }

  /** The session, or what comes of waiting for it a little. */
  async #session(signal: AbortSignal): Promise<Session | undefined> {
    const limit = timeLimit(
      BACK_MS,
      `connecting to ${this.name} again`,
      AbortSignal.any([signal, this.#stop.signal]),
    )
    for (;;) {
      if (this.#state.kind === 'ready' && !this.#state.session.over) return this.#state.session
      if (limit.aborted) return undefined
      this.#hurry.abort()
      await within(this.#change.promise, limit).catch(() => undefined)
    }
  }

  /** The run has ended: aborts its calls that wait for a person. */
  release(run: string): void {
    if (this.#state.kind === 'ready') this.#state.session.release(run)
  }

  /** Makes one call. A server that has certainly not seen it is asked a second time. */
  async call(asked: Asked, ctx: ToolContext): Promise<ToolResult> {
    this.#calls++
    try {
      const first = await this.#call(asked, ctx)
      return first ?? (await this.#call(asked, ctx)) ?? this.#gone()
    } finally {
      this.#calls--
    }
  }

  /** `undefined`: the server has not seen it. */
  async #call(
    { as, own, request, readOnly }: Asked,
    ctx: ToolContext,
  ): Promise<ToolResult | undefined> {
    const { settings, secrets } = this.#parts
    const session = await this.#session(ctx.signal)
    if (!session) return this.#gone()
    // Waiting may have taken a while; what sends it looks once more.
    if (!readOnly && !isHeld(ctx.lease))
      return { status: 'error', code: 'LEASE_LOST', message: LAPSED }
    const given = ctx.answers ?? []
    // The server would take the call that is made again for a yes.
    if (isDeclined(given.at(-1)))
      return {
        status: 'error',
        code: 'TOOL_FAILED',
        message:
          'The call was not made again: its server wants something that the person does not.',
      }
    const sending = sendingIn(ctx)
    const answerTo = (elicitation: Elicitation) => answerIn(given, elicitation, sending)
    try {
      const called = await session.call({
        key: ctx.key,
        request,
        signal: ctx.signal,
        ...(!readOnly && { lease: ctx.lease }),
        beginSpan: (request) => ctx.scope.find(McpTraces)?.begin({ ...request, key: ctx.key }),
        timeoutMs: this.#timeoutMs,
        read: (params) =>
          scrubbed(elicitationOf(params, this.#mask), (message) => ctx.scrub(message), this.#mask),
        answerTo: (elicitation) => answerTo(elicitation).answer,
        ...this.#model(ctx),
        progress: this.#progress(as, ctx),
      })
      if (called.kind === 'result')
        return toolResult(
          called.result,
          { chars: settings.resultChars, imageChars: settings.imageChars },
          (text) => secrets.mask(text),
        )
      const { problems } = answerTo(called.elicitation)
      return {
        status: 'asks',
        question: questionOf(called.elicitation, {
          server: this.name,
          tool: own,
          problems,
          expiresInMs: settings.questionSeconds * 1_000,
          isPrerequisite: called.isPrerequisite ?? false,
        }),
      }
    } catch (cause) {
      if (cause instanceof UnshowableError) {
        const { code, message } = cause.failure
        return { status: 'error', code, message }
      }
      return this.#failing(cause, session, { as, readOnly }, ctx.signal)
    }
  }

  #lending(): Lending {
    const { cwd = '.' } = this.#parts
    const { roots, sampling, openUrls } = this.spec
    return {
      roots: roots.map((path) => {
        const folder = resolve(cwd, path)
        return { uri: pathToFileURL(folder).href, name: basename(folder) }
      }),
      model: sampling !== undefined,
      urls: openUrls,
    }
  }

  /** The model of the run that makes a call, where the connection lends it. */
  #model({ ask }: ToolContext): Pick<ToolCall, 'model'> {
    const { sampling } = this.spec
    if (sampling === undefined || !ask) return {}
    const { samplingTokens: tokens, samplingChars: chars } = this.#parts.settings
    return {
      model: {
        asksFirst: sampling === 'ask',
        sample: async (params) => {
          this.#parts.log.info('mcp.sampling', { server: this.name })
          const { sampled } = await import('./sampling.ts')
          return sampled(params, this.name, ask, { tokens, chars }, this.#mask)
        },
      },
    }
  }

  /** This resource was read: from now on its changes are heard, where the server tells them. */
  watch(uri: string): void {
    this.#updated.delete(uri)
    if (!this.#watched.has(uri) && this.#watched.size >= MOST_WATCHED) return
    this.#watched.add(uri)
    if (this.#state.kind === 'ready') this.#listenTo(this.#state.session)
  }

  #listenTo(session: Session): void {
    void session.watch(this.#watched).catch((cause: unknown) => {
      this.#parts.log.debug('mcp.odd', { server: this.name, error: this.#shown(cause) })
    })
  }

  /** What it can and this client cannot: said, and not dropped in silence. */
  #tellUnsupported(session: Session): void {
    const found = unsupportedIn(session.capabilities).slice(0, MOST_UNSUPPORTED)
    const before = this.#unsupported.join()
    this.#unsupported = found.map((name) => shown(name, LABEL, this.#mask))
    if (this.#unsupported.length > 0 && this.#unsupported.join() !== before)
      this.#parts.log.warn('mcp.unsupported', {
        server: this.name,
        message: `it offers what is not supported: ${this.#unsupported.join(', ')}`,
      })
  }

  /** The run's own deadline comes first. */
  get #timeoutMs(): number {
    return (this.spec.timeoutMs ?? this.#parts.settings.callMs) + 1_000
  }

  /** `undefined`: the server has not seen it, or takes it now. */
  async #failing(
    cause: unknown,
    session: Session,
    asked: Pick<Asked, 'as' | 'readOnly'>,
    signal: AbortSignal,
  ): Promise<ToolResult | undefined> {
    // It has refused the call for want of rights, so that it may be made again with more of them.
    const rights = await this.#authorization?.rightsAfter(cause)
    if (rights === 'more') return undefined
    if (rights === 'too few')
      return {
        status: 'error',
        code: 'TOOL_FAILED',
        ...quoting('', this.#shown(this.#authorization?.problem ?? cause)),
      }
    return this.#failed(cause, session, asked, signal)
  }

  #progress(as: string, ctx: ToolContext): ToolCall['progress'] {
    // Progress messages are emitted at once, so fields cannot be redacted in them.
    const isRestricted = (): boolean =>
      connectionsOf(ctx.bundle).some(
        ({ name, access }) => name === this.name && access.fieldRestrictions.length > 0,
      )
    let told = -Infinity
    return ({ progress, total, message }) => {
      if (performance.now() - told < PROGRESS_MS) return
      told = performance.now()
      const count = total === undefined ? `${progress}` : `${progress} of ${total}`
      ctx.progress({
        type: 'tool_log',
        tool_name: as,
        message:
          message === undefined || isRestricted() ? count : `${count}: ${this.#shown(message)}`,
      })
    }
  }

  #failed(
    cause: unknown,
    session: Session,
    { as, readOnly }: Pick<Asked, 'as' | 'readOnly'>,
    signal: AbortSignal,
  ): ToolResult | undefined {
    const failing = session.failing(cause, signal)
    switch (failing) {
      case 'stopped':
        throw cause
      case 'lapsed':
        return { status: 'error', code: 'LEASE_LOST', message: LAPSED }
      case 'refused':
        return { status: 'error', code: 'TOOL_FAILED', ...quoting('', this.#shown(cause)) }
      case 'unclear':
      case 'lost': {
        if (failing === 'lost')
          session.fail(cause instanceof Error ? cause : new Error(messageOf(cause)))
        const why =
          failing === 'lost' && this.#problem !== undefined ? this.#problem : this.#shown(cause)
        return {
          status: 'error',
          code: readOnly ? 'OUTBOUND_FAILED' : 'OUTCOME_UNKNOWN',
          ...quoting(`"${as}" was called, and no answer came: `, why, '.'),
        }
      }
      case 'unsent':
        session.fail(cause instanceof Error ? cause : new Error(messageOf(cause)))
        return undefined
    }
  }

  #gone(): ToolResult {
    const why = this.#problem === undefined ? '' : `: ${this.#problem}`
    return {
      status: 'error',
      code: 'OUTBOUND_FAILED',
      message: `The MCP server "${this.name}" cannot be reached${why}. The call was not made.`,
    }
  }

  /** The last lines of a child's standard error. */
  #lastWords(): string {
    return this.#output.lines.slice(-LAST_WORDS).join(' | ')
  }

  /** Why it cannot be reached, with what a child said last. */
  #reason(cause: unknown): string {
    const words = this.#lastWords()
    return this.#shown(words === '' ? cause : `${messageOf(cause)} (its output: ${words})`)
  }

  readonly #mask: Mask = (text) => this.#parts.secrets.mask(text)

  /** As it may be shown and logged. */
  #shown(cause: unknown): string {
    return shown(messageOf(cause), 500, (text) => this.#mask(text).replaceAll(/\s+/g, ' '))
  }
}

/** What of an answer may go to the server: as it is known where withheld values are kept. */
function sendingIn(ctx: ToolContext): Sending {
  return {
    reveal: (text) => ctx.scope.find(RedactionHandles)?.reveal(text, ctx) ?? ok(text),
    redactedIn: (content) => ctx.scope.find(OutputRedactor)?.redactedPaths(content, ctx) ?? [],
  }
}
