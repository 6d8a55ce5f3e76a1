import {
  type Agent,
  type AgentClient,
  type ChildAsk,
  type ChildOutcome,
  type Clock,
  truncateLine,
  type Failure,
  type FrameCursor,
  isAtRest,
  NANO,
  NO_USAGE,
  ok,
  type OpenChild,
  type SequencedEntry,
  type Result,
  type RunContext,
  type SendRequest,
  type SessionStore,
  sinceDelegated,
  atMost,
  sleep,
  type ToolOutcome,
  onAbort,
} from '@amodal/sdk'
import { connectionBroke } from '@amodal/sdk/database'
import { type Child, stateWith } from './child.ts'
import type { Definition } from './definition.ts'
import { ChildEvents } from './child-events.ts'

/** Interval, ms, at which a sub-agent that has asked a person is checked. */
const LOOK_MS = 100
/** Longest delay between two attempts, ms. */
const MOST_WAIT_MS = 1_000
/** Attempts to read the end of a session that is at rest. */
const TRIES = 3
/** Characters of a token, as estimates go. */
const TOKEN_CHARS = 4

/** Whether a retry would not help. An unreachable database has a code of its own. */
const isFinal = (problem: Failure): boolean =>
  problem.code !== 'STORE_FAILED' && !connectionBroke(problem) && !isStopping(problem)
/**
 * A server that stops begins no run. This is no outcome of the sub-agent, whose parent soon
 * continues on another server.
 */
const isStopping = ({ code }: Failure): boolean => code === 'KERNEL_CLOSED'

type Asks = Extract<ChildOutcome, { status: 'asks' }>
type Closed = Exclude<ChildOutcome, Asks>

/** The services that start and follow sub-agents. */
export interface Around {
  readonly agent: Agent
  readonly sessions: SessionStore
  readonly clock: Clock
}

/** Starts one sub-agent, or finds it running, and follows it until it ends or asks a person. */
export class ChildFollower {
  readonly #open: OpenChild
  readonly #definition: Definition
  readonly #child: Child
  readonly #ctx: RunContext
  readonly #around: Around
  readonly #client: AgentClient
  #events: ChildEvents
  /**
   * Events up to this entry were already emitted, before it asked or before its stream broke off.
   */
  #seen: number
  readonly #begun: number

  constructor(
    open: OpenChild,
    definition: Definition,
    child: Child,
    ctx: RunContext,
    around: Around,
  ) {
    this.#open = open
    this.#definition = definition
    this.#child = child
    this.#ctx = ctx
    this.#around = around
    this.#client = around.agent.as({
      tenant: ctx.tenant,
      principal: ctx.principal,
      roles: ctx.roles,
      delegated: true,
    })
    this.#events = new ChildEvents(open.call, definition.displayName)
    this.#seen = open.seen ?? 0
    this.#begun = around.clock.monotonic()
  }

  /** Never rejects. */
  async outcome(): Promise<ChildOutcome> {
    const { signal } = this.#ctx
    if (signal.aborted)
      return this.#closed('error', 'The sub-agent did not begin: the turn was stopped.')
    let problem: Failure | undefined
    for (
      let tries = 1, wait = LOOK_MS;
      tries <= TRIES && !signal.aborted;
      wait = Math.min(wait * 2, MOST_WAIT_MS)
    ) {
      // its stream is read from the beginning
      this.#events = new ChildEvents(this.#open.call, this.#definition.displayName)
      const frames = await this.#frames()
      const asks = frames.ok ? await this.#listen(frames.value) : undefined
      if (asks) return asks
      if (this.#events.done) return this.#ended()
      problem = frames.ok ? undefined : frames.error
      if (problem && isFinal(problem)) break
      if (!(await this.#goesOn(problem))) tries++
      if (tries <= TRIES) await sleep(wait, signal)
    }
    if (signal.aborted) return this.#stopped()
    if (problem && isFinal(problem))
      return this.#closed('error', `The sub-agent did not begin: ${problem.message}`)
    return this.#closed(
      'unknown',
      `The sub-agent could not be followed${problem ? `: ${problem.message}` : ''}. Whether it did its work is unknown.`,
    )
  }

  /**
   * Whether to retry after its stream broke off: it is running or waiting, and the instance that
   * owns it will end it. While the database is unreachable its parent cannot continue either, and
   * loses its session if that lasts.
   */
  async #goesOn(problem: Failure | undefined): Promise<boolean> {
    if (problem) return connectionBroke(problem) || isStopping(problem)
    const { tenant, signal } = this.#ctx
    const sessionRecord = await this.#around.sessions.sessionRecord(
      { tenant, session: this.#open.child },
      signal,
    )
    if (!sessionRecord.ok) return connectionBroke(sessionRecord.error)
    return sessionRecord.value !== undefined && !isAtRest(sessionRecord.value)
  }

  /** Its frames from the beginning; sending the same message twice is idempotent. */
  async #frames(): Promise<Result<FrameCursor, Failure>> {
    const { child, agent, prompt, options = {} } = this.#open
    const { context, session, sessionState, run } = this.#ctx
    const { timeout, modelTier, maxTokens, maxCost, maxToolRounds } = this.#definition
    const key = `dispatch:${run}:${this.#open.call}`
    const { max_turns: turns, max_tokens: tokens, max_cost: cost } = options
    const replies = Math.min(
      typeof turns === 'number' ? turns : Infinity,
      (maxToolRounds ?? Infinity) + 1,
    )
    const most = Math.min(typeof tokens === 'number' ? tokens : Infinity, maxTokens ?? Infinity)
    const dear = Math.min(
      typeof cost === 'number' ? cost : Infinity,
      maxCost === undefined ? Infinity : maxCost * NANO,
    )
    const request: SendRequest = {
      session: child,
      parent: { session, agent },
      text: prompt,
      key,
      context,
      sessionState: sinceDelegated(stateWith(sessionState, this.#child), this.#around.clock.now()),
      limits: {
        timeoutSeconds: timeout,
        ...(replies < Infinity ? { maxTurns: replies } : {}),
        ...(most < Infinity ? { maxSessionTokens: most } : {}),
        ...(dear < Infinity ? { maxSessionCost: dear } : {}),
        ...(modelTier === 'default' ? {} : { tier: modelTier }),
      },
    }
    const sent = await this.#client.send(request)
    if (sent.ok) return ok(sent.value.frames)
    // It was started with another prompt, before the agent's files were edited.
    return sent.error.code === 'MESSAGE_CONFLICT'
      ? this.#client.follow(child, undefined, key)
      : sent
  }

  /** Forwards its events until it ends, asks a person, or its stream breaks off. */
  async #listen(frames: FrameCursor): Promise<Asks | undefined> {
    const { signal, progress } = this.#ctx
    const leave = onAbort(signal, () => frames.close())
    try {
      let more = frames.wait()
      for (;;) {
        const hasFrames = await (this.#events.hasAsked ? atMost(LOOK_MS, more) : more)
        if (hasFrames === undefined) {
          const asks = signal.aborted ? undefined : await this.#asks()
          if (asks) return asks
          continue
        }
        if (!hasFrames) return undefined
        for (const { id, event } of frames.take()) {
          const emitted = this.#events.accept(event)
          if (id.seq > this.#seen || (id.seq === this.#seen && id.n > 0))
            emitted.forEach((each) => progress(each))
          if (id.n === 0) this.#seen = Math.max(this.#seen, id.seq)
          if (this.#events.done) return undefined
        }
        more = frames.wait()
      }
    } finally {
      leave()
      frames.close()
    }
  }

  /** What it waits for; nothing while it is running, or an answer is being delivered to it. */
  async #asks(): Promise<Asks | undefined> {
    const { call, child } = this.#open
    const { tenant, signal } = this.#ctx
    const sessionRecord = await this.#around.sessions.sessionRecord(
      { tenant, session: child },
      signal,
    )
    if (
      !sessionRecord.ok ||
      !sessionRecord.value?.parked ||
      sessionRecord.value.owner !== undefined ||
      sessionRecord.value.controls > 0
    )
      return undefined
    const view = await this.#client.session(child, signal)
    if (!view.ok || view.value.asks.length === 0) return undefined
    const asks = view.value.asks.map((ask): ChildAsk => {
      const entry = view.value.entries.find(
        (one) => one.kind === 'input_asked' && one.ask === ask.id,
      )
      const { name, questions } = entry?.kind === 'input_asked' ? entry : {}
      return {
        ask: { ...ask, context: { ...ask.context, agent: this.#open.agent } },
        question: { ...(name === undefined ? {} : { name }), ...(questions ? { questions } : {}) },
      }
    })
    return { call, status: 'asks', asks, seen: sessionRecord.value.head }
  }

  async #ended(): Promise<ChildOutcome> {
    const { text, error, done } = this.#events
    if (done?.reason === 'model_stop' && text !== '')
      return this.#closed(
        'success',
        truncateLine(text, this.#definition.targetOutputMax * TOKEN_CHARS),
      )
    const said =
      text === ''
        ? ''
        : `\nIts last words: ${truncateLine(text, this.#definition.targetOutputMax * TOKEN_CHARS)}`
    const doubtful = await this.#doubtful()
    const doubt =
      doubtful.length === 0
        ? ''
        : ` Whether these calls of it took effect is unknown, check before repeating them: ${doubtful.join(', ')}.`
    return this.#closed(doubt === '' ? 'error' : 'unknown', `${this.#why(error)}${doubt}${said}`)
  }

  #why(error: ChildEvents['error']): string {
    switch (this.#events.done?.reason) {
      case 'model_stop':
        return 'The sub-agent ended without an answer.'
      case 'user_abort':
        return 'The sub-agent was cancelled.'
      case 'max_turns':
        return 'The sub-agent used up its turns without an answer.'
      case 'loop_detected':
        return 'The sub-agent went round in circles and was stopped.'
      case 'budget_exceeded':
        return error?.code === 'TIMEOUT'
          ? `The sub-agent did not finish within ${this.#definition.timeout} s.`
          : 'The sub-agent used up its budget.'
      default:
        return `The sub-agent failed: ${error?.message ?? 'nobody said why'}.`
    }
  }

  /** Its calls whose outcome is unknown. */
  async #doubtful(): Promise<readonly string[]> {
    const view = await this.#client.session(this.#open.child)
    return view.ok
      ? view.value.entries
          .filter(
            (entry): entry is SequencedEntry<ToolOutcome> =>
              entry.kind === 'tool_outcome' && entry.status === 'unknown',
          )
          .map(({ name }) => name)
      : []
  }

  /** A cancelled parent cancels its children; one that continues on another instance does not. */
  async #stopped(): Promise<ChildOutcome> {
    const reason: unknown = this.#ctx.signal.reason
    if (reason !== 'cancelled' && reason !== 'deadline')
      return this.#closed('unknown', 'The sub-agent goes on elsewhere.')
    await this.#client.cancel(this.#open.child)
    const view = await this.#client.session(this.#open.child)
    // Its `done` event would come too late, so its usage so far is counted.
    if (!view.ok) return this.#closed('error', 'The sub-agent was cancelled.')
    const { inputTokens: input, outputTokens: output, cost } = view.value.row
    return {
      ...this.#closed('error', 'The sub-agent was cancelled.'),
      usage: { ...NO_USAGE, input, output },
      ...(cost === undefined ? {} : { cost }),
    }
  }

  #closed(status: 'success' | 'error' | 'unknown', summary: string): Closed {
    const { usage = NO_USAGE, cost } = this.#events.done ?? {}
    return {
      call: this.#open.call,
      status,
      summary,
      usage,
      ...(cost === undefined ? {} : { cost }),
      ms: Math.round(this.#around.clock.monotonic() - this.#begun),
    }
  }
}
