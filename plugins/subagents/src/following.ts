import {
  type AgentFace,
  type ChildAsk,
  type ChildOutcome,
  cutShort,
  type Failure,
  type FrameCursor,
  isAtRest,
  NANO,
  NO_USAGE,
  ok,
  type OpenChild,
  type Placed,
  type Result,
  type RunContext,
  type SendRequest,
  sinceDelegated,
  atMost,
  sleep,
  type ToolOutcome,
  onAbort,
} from '@amodal/sdk'
import { connectionBroke } from '@amodal/sdk/database'
import { type Child, stateWith } from './child.ts'
import type { Definition } from './definition.ts'
import type { Around } from './dispatcher.ts'
import { Told } from './told.ts'

/** How often a sub-agent that has asked is looked at, whether it waits for a person, ms. */
const LOOK_MS = 100
/** Between two tries at most, ms. */
const MOST_WAIT_MS = 1_000
/** Where a session is at rest and its end is not to be heard, it is looked for so many times. */
const TRIES = 3
/** Characters of a token, as estimates go. */
const TOKEN_CHARS = 4

/** Asking again would not help. A database that cannot be reached says so in a code of its own. */
const isFinal = (problem: Failure): boolean =>
  problem.code !== 'STORE_FAILED' && !connectionBroke(problem) && !isStopping(problem)
/**
 * A server that stops begins no run. This is no outcome of the sub-agent, whose parent soon
 * continues on another server.
 */
const isStopping = ({ code }: Failure): boolean => code === 'KERNEL_CLOSED'

type Asks = Extract<ChildOutcome, { status: 'asks' }>
type Closed = Exclude<ChildOutcome, Asks>

/** Begins one sub-agent, or finds it at work, and listens until it has ended or asks. */
export class Following {
  readonly #open: OpenChild
  readonly #definition: Definition
  readonly #child: Child
  readonly #ctx: RunContext
  readonly #around: Around
  readonly #face: AgentFace
  #told: Told
  /**
   * What was told up to this entry is not told again: before it asked, or before its stream broke
   * off.
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
    this.#face = around.agent.as({
      tenant: ctx.tenant,
      principal: ctx.principal,
      roles: ctx.roles,
      delegated: true,
    })
    this.#told = new Told(open.call, definition.displayName)
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
      // it is heard from its beginning
      this.#told = new Told(this.#open.call, this.#definition.displayName)
      const frames = await this.#frames()
      const asks = frames.ok ? await this.#listen(frames.value) : undefined
      if (asks) return asks
      if (this.#told.done) return this.#ended()
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
   * Whether it is worth while to listen again after its stream has broken off: it is at work, or
   * waits, and whoever has it sees to it that it ends. While the database is away its parent cannot
   * go on either, and loses its session if that takes long.
   */
  async #goesOn(problem: Failure | undefined): Promise<boolean> {
    if (problem) return connectionBroke(problem) || isStopping(problem)
    const { tenant, signal } = this.#ctx
    const lane = await this.#around.sessions.lane({ tenant, session: this.#open.child }, signal)
    if (!lane.ok) return connectionBroke(lane.error)
    return lane.value !== undefined && !isAtRest(lane.value)
  }

  /** Its frames from the beginning: the same message twice is one message. */
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
    const sent = await this.#face.send(request)
    if (sent.ok) return ok(sent.value.frames)
    // It has begun with other words than these, before the agent's files were edited.
    return sent.error.code === 'MESSAGE_CONFLICT' ? this.#face.follow(child, undefined, key) : sent
  }

  /** Passes on what it tells, until it has ended, asks a person, or cannot be heard any more. */
  async #listen(frames: FrameCursor): Promise<Asks | undefined> {
    const { signal, progress } = this.#ctx
    const leave = onAbort(signal, () => frames.close())
    try {
      let more = frames.wait()
      for (;;) {
        const heard = await (this.#told.asked ? atMost(LOOK_MS, more) : more)
        if (heard === undefined) {
          const asks = signal.aborted ? undefined : await this.#asks()
          if (asks) return asks
          continue
        }
        if (!heard) return undefined
        for (const { id, event } of frames.take()) {
          const events = this.#told.hear(event)
          if (id.seq > this.#seen || (id.seq === this.#seen && id.n > 0))
            for (const each of events) progress(each)
          if (id.n === 0) this.#seen = Math.max(this.#seen, id.seq)
          if (this.#told.done) return undefined
        }
        more = frames.wait()
      }
    } finally {
      leave()
      frames.close()
    }
  }

  /** What it waits for; nothing while it is at work, or an answer is on its way to it. */
  async #asks(): Promise<Asks | undefined> {
    const { call, child } = this.#open
    const { tenant, signal } = this.#ctx
    const lane = await this.#around.sessions.lane({ tenant, session: child }, signal)
    if (
      !lane.ok ||
      !lane.value?.parked ||
      lane.value.owner !== undefined ||
      lane.value.controls > 0
    )
      return undefined
    const view = await this.#face.session(child, signal)
    if (!view.ok || view.value.asks.length === 0) return undefined
    const asks = view.value.asks.map((ask): ChildAsk => {
      const entry = view.value.entries.find(
        (one) => one.kind === 'input_asked' && one.ask === ask.id,
      )
      const { name, questions } = entry?.kind === 'input_asked' ? entry : {}
      return {
        ask: { ...ask, context: { ...ask.context, agent: this.#open.agent } },
        asked: { ...(name === undefined ? {} : { name }), ...(questions ? { questions } : {}) },
      }
    })
    return { call, status: 'asks', asks, seen: lane.value.head }
  }

  async #ended(): Promise<ChildOutcome> {
    const { text, error, done } = this.#told
    if (done?.reason === 'model_stop' && text !== '')
      return this.#closed('success', cutShort(text, this.#definition.targetOutputMax * TOKEN_CHARS))
    const said =
      text === ''
        ? ''
        : `\nIts last words: ${cutShort(text, this.#definition.targetOutputMax * TOKEN_CHARS)}`
    const doubtful = await this.#doubtful()
    const doubt =
      doubtful.length === 0
        ? ''
        : ` Whether these calls of it took effect is unknown, check before repeating them: ${doubtful.join(', ')}.`
    return this.#closed(doubt === '' ? 'error' : 'unknown', `${this.#why(error)}${doubt}${said}`)
  }

  #why(error: Told['error']): string {
    switch (this.#told.done?.reason) {
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

  /** Its calls that nobody knows the outcome of. */
  async #doubtful(): Promise<readonly string[]> {
    const view = await this.#face.session(this.#open.child)
    return view.ok
      ? view.value.entries
          .filter(
            (entry): entry is Placed<ToolOutcome> =>
              entry.kind === 'tool_outcome' && entry.status === 'unknown',
          )
          .map(({ name }) => name)
      : []
  }

  /** A cancelled parent takes its children with it; one that goes on elsewhere does not. */
  async #stopped(): Promise<ChildOutcome> {
    const reason: unknown = this.#ctx.signal.reason
    if (reason !== 'cancelled' && reason !== 'deadline')
      return this.#closed('unknown', 'The sub-agent goes on elsewhere.')
    await this.#face.cancel(this.#open.child)
    const view = await this.#face.session(this.#open.child)
    // Its end comes too late to be heard: what it took so far counts.
    if (!view.ok) return this.#closed('error', 'The sub-agent was cancelled.')
    const { inputTokens: input, outputTokens: output, cost } = view.value.row
    return {
      ...this.#closed('error', 'The sub-agent was cancelled.'),
      usage: { ...NO_USAGE, input, output },
      ...(cost === undefined ? {} : { cost }),
    }
  }

  #closed(status: 'success' | 'error' | 'unknown', summary: string): Closed {
    const { usage = NO_USAGE, cost } = this.#told.done ?? {}
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
