import type { Tool } from '@modelcontextprotocol/client'
import {
  hashOf,
  messageOf,
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
} from '@amodal/sdk'
import { connectionsOf } from '@amodal/sdk/connections'
import type { Settings } from './settings.ts'
import { answerIn } from './elicitation-answer.ts'
import { questionOf } from './elicitation-question.ts'
import { LAPSED } from './failing.ts'
import { isDeep } from './is-deep.ts'
import { isDoneWithin } from './is-done-within.ts'
import { isHeld } from './is-held.ts'
import { badHeaderIn } from './param-headers.ts'
import type { Reaper } from './reaper.ts'
import { LAST_WORDS, ServerLog } from './server-log.ts'
import type { ServerSpec } from './server-spec.ts'
import type { ListedTools, Session } from './session.ts'
import { toolResult } from './tool-result.ts'
import { shown, type Mask } from './untrusted.ts'

export interface ServerParts {
  readonly name: string
  readonly spec: ServerSpec
  readonly cwd: string | undefined
  readonly settings: Settings
  readonly secrets: Secrets
  readonly outbound: Outbound
  readonly reaper: Reaper
  readonly log: Logger
}

export interface Asked {
  /** The name that the model knows it by. */
  readonly as: string
  readonly tool: Tool
  readonly args: JsonObject
  readonly readOnly: boolean
}

/** ms before a lost server is tried again, doubled each time. */
const FIRST_RETRY_MS = 500
const LAST_RETRY_MS = 30_000
/** Up for this long, and the next time it is lost counts as the first, ms. */
const STABLE_MS = 60_000
/** A server that has not answered by then is told of, with what it says, ms. */
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
  /** Speaks the older protocol only, as it is known from the last time. */
  #legacy = false
  readonly #said: ServerLog
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
    this.#said = new ServerLog(parts.name, parts.log, (text) => this.#told(text))
  }

  get status(): ConnectionStatus {
    const { kind } = this.#state
    const left = this.#more
      ? `only the first ${this.#tools.length} of its tools are used`
      : undefined
    const error = this.#problem ?? left
    return {
      name: this.name,
      kind: 'mcp',
      status: kind,
      toolCount: this.#tools.length,
      ...(error === undefined ? {} : { error }),
    }
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
  /** Another text, where its tools are others. */
  get revision(): string {
    return `${this.#revision}${this.#instructions === '' ? '' : ` ${hashOf(this.#instructions)}`}`
  }
  /** How it wants to be used: a stranger's words, cut and cleaned. */
  get instructions(): string {
    return this.#instructions
  }
  /** The newest lines of its standard error, and messages that it has sent. */
  get said(): Pick<ServerLog, 'lines' | 'messages'> {
    return this.#said
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
        this.#parts.log.error('mcp.stopped', { server: this.name, error: this.#told(cause) })
        this.#move({ kind: 'failed' }, this.#told(cause))
      })
      .finally(first.resolve)
  }

  /** Closes it once nobody calls it any more. */
  async retire(ms: number): Promise<void> {
    for (const end = performance.now() + ms; this.#calls > 0 && performance.now() < end;)
      await sleep(100, this.#stop.signal)
    await this.close()
  }

  async close(): Promise<void> {
    this.#stop.abort()
    this.#hurry.abort()
    await this.#running
  }

  /** Connects, lists, waits until it is lost, and again. */
  async #keep(tried: () => void): Promise<void> {
    const { log } = this.#parts
    const { signal } = this.#stop
    for (let failures = 0; !signal.aborted;) {
      const lost = Promise.withResolvers<Error>()
      const opened = await this.#open(lost.resolve).catch((cause: unknown) => this.#reason(cause))
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
        const error = await Promise.race([lost.promise, aborted(signal)])
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
    this.#said.begin()
    const limit = AbortSignal.any([this.#stop.signal, AbortSignal.timeout(connectMs)])
    const slow = setTimeout(
      () =>
        log.warn('mcp.slow', {
          server: this.name,
          seconds: SLOW_MS / 1_000,
          said: this.#lastWords(),
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
        odd: (error) => log.debug('mcp.odd', { server: this.name, error: this.#told(error) }),
        said: (line) => this.#said.line(line),
        message: (level, data, logger) => this.#said.message(level, data, logger),
      },
      limit,
    ).finally(() => clearTimeout(slow))
    if (!connected.ok) throw new Error(connected.error.message, { cause: connected.error })
    const session = connected.value
    this.#legacy = session.legacy && this.spec.transport === 'stdio'
    try {
      this.#take(await session.tools(limit), session)
      this.#instructions = shown(session.instructions, INSTRUCTIONS, this.#mask).trim()
      return session
    } catch (cause) {
      await session.close()
      throw cause
    }
  }

  #take({ tools, malformed, more }: ListedTools, session: Session): void {
    for (const problem of malformed)
      this.#parts.log.warn('mcp.tool', {
        server: this.name,
        message: `one tool is left out, since it is malformed: ${this.#told(problem)}`,
      })
    // Of two with one name the first counts.
    const names = new Set<string>()
    const mirrors = this.spec.transport === 'http' && !session.legacy
    const usable = tools.filter((tool) => {
      if (names.has(tool.name)) return false
      names.add(tool.name)
      const problem = isDeep(tool)
        ? 'what it says of it is nested too deep'
        : mirrors
          ? badHeaderIn(tool.inputSchema as JsonObject)
          : undefined // it was JSON on the wire
      if (problem !== undefined)
        this.#parts.log.warn('mcp.tool', {
          server: this.name,
          tool: this.#told(tool.name),
          message: `it is left out: ${this.#told(problem)}`,
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
      const { session } = this.#state
      try {
        this.#take(
          await session.tools(
            AbortSignal.any([
              this.#stop.signal,
              AbortSignal.timeout(this.#parts.settings.connectMs),
            ]),
          ),
          session,
        )
        this.#parts.log.info('mcp.tools_changed', { server: this.name, tools: this.#tools.length })
      } catch (cause) {
        this.#parts.log.warn('mcp.list_failed', { server: this.name, error: this.#told(cause) })
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
    const limit = AbortSignal.any([signal, this.#stop.signal, AbortSignal.timeout(BACK_MS)])
    for (;;) {
      if (this.#state.kind === 'ready' && !this.#state.session.over) return this.#state.session
      if (limit.aborted) return undefined
      this.#hurry.abort()
      await Promise.race([this.#change.promise, aborted(limit)])
    }
  }

  /** The run is over: nobody goes on with calls of it that wait for a person. */
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
    { as, tool, args, readOnly }: Asked,
    ctx: ToolContext,
  ): Promise<ToolResult | undefined> {
    const { settings, secrets } = this.#parts
    const session = await this.#session(ctx.signal)
    if (!session) return this.#gone()
    // Waiting may have taken a while; what sends it looks once more.
    if (!readOnly && !isHeld(ctx.lease))
      return { status: 'error', code: 'LEASE_LOST', message: LAPSED }
    const given = ctx.answers ?? []
    // Words on the way are told as they come, so that nobody can take anything out of them.
    const isRestricted = (): boolean =>
      connectionsOf(ctx.bundle).some(
        ({ name, access }) => name === this.name && access.fieldRestrictions.length > 0,
      )
    let told = -Infinity
    try {
      const called = await session.call({
        key: ctx.key,
        tool,
        args,
        signal: ctx.signal,
        ...(!readOnly && { lease: ctx.lease }),
        // the run's own deadline comes first
        timeoutMs: (this.spec.timeoutMs ?? settings.callMs) + 1_000,
        answerTo: (elicitation) => answerIn(given, elicitation).answer,
        progress: ({ progress, total, message }) => {
          if (performance.now() - told < PROGRESS_MS) return
          told = performance.now()
          const count = total === undefined ? `${progress}` : `${progress} of ${total}`
          ctx.progress({
            type: 'tool_log',
            tool_name: as,
            message:
              message === undefined || isRestricted() ? count : `${count}: ${this.#told(message)}`,
          })
        },
      })
      if (called.kind === 'result')
        return toolResult(
          called.result,
          { chars: settings.resultChars, imageChars: settings.imageChars },
          (text) => secrets.mask(text),
        )
      const { problems } = answerIn(given, called.elicitation)
      return {
        status: 'asks',
        question: questionOf(called.elicitation, {
          server: this.name,
          tool: tool.name,
          problems,
          expiresInMs: settings.questionSeconds * 1_000,
        }),
      }
    } catch (cause) {
      return this.#failed(cause, session, { as, readOnly }, ctx.signal)
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
        return { status: 'error', code: 'TOOL_FAILED', ...quoting('', this.#told(cause)) }
      case 'unclear':
      case 'lost': {
        if (failing === 'lost')
          session.fail(cause instanceof Error ? cause : new Error(messageOf(cause)))
        const why =
          failing === 'lost' && this.#problem !== undefined ? this.#problem : this.#told(cause)
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

  /** What a child has written to its standard error last. */
  #lastWords(): string {
    return this.#said.lines.slice(-LAST_WORDS).join(' | ')
  }

  /** Why it cannot be reached, with what a child said last. */
  #reason(cause: unknown): string {
    const words = this.#lastWords()
    return this.#told(words === '' ? cause : `${messageOf(cause)} (it said: ${words})`)
  }

  readonly #mask: Mask = (text) => this.#parts.secrets.mask(text)

  /** As it may be shown and logged. */
  #told(cause: unknown): string {
    return shown(messageOf(cause), 500, (text) => this.#mask(text).replaceAll(/\s+/g, ' '))
  }
}

const aborted = (signal: AbortSignal): Promise<undefined> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve(undefined)
    else signal.addEventListener('abort', () => resolve(undefined), { once: true })
  })
